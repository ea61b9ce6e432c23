import {
  defined,
  FileError,
  lineCount,
  metadataVersion,
  presenceOf,
} from "@self-context-manager/objects";
import { needsExplicitRead } from "@self-context-manager/tracker";
import { indexFile, recordMissing } from "../history/file-index.ts";
import { rangesText } from "../render/content-block.ts";
import type { NoteAuthor } from "../render/object-note.ts";
import { shortName } from "../render/short-name.ts";
import { activateShowable, noteOwnText, visibleLines } from "../state/host-shown.ts";
import { joinPool, refreshEntry, type SessionScope } from "../state/session-scope.ts";
import { setInactive } from "../state/set-active.ts";
import type { PoolEntry } from "../view/pool-entry.ts";
import { lockedElsewhere, noContentNote, notFound, refusal, type ToolAnswer } from "./answers.ts";
import { activateLocked, aroundCall, chatPart, isChat, openedTurns } from "./chat-targets.ts";
import { type ActivateRange, chosenRange, isPart } from "./chosen-range.ts";
import { departureFromView } from "./departure-from-view.ts";
import {
  earlierVersion,
  type FileVersion,
  isEarlier,
  lastShowable,
  lastThere,
  namedVersion,
  noVersion,
  readVersion,
} from "./earlier-version.ts";
import { fieldOfObject } from "./field-of-object.ts";
import { openOtherChat } from "./open-chat.ts";
import { writeNote } from "./inspect-object.ts";
import { versionsWithin } from "./reach.ts";
import { resolveTarget, type Target, withoutBrackets } from "./resolve-target.ts";

/**
 * Puts an object into the active set, so that its content is shown. An object that only the store has joins the pool
 * first (decision D41). The session is not stored.
 */
export async function activate(
  scope: SessionScope,
  given: string,
  lines: ActivateRange = {},
): Promise<ToolAnswer> {
  const target = await resolveTarget(scope, given);
  if (target.type === "unknown") {
    const around = await aroundCall(scope, given, lines);
    if (around !== undefined) return around;
    const section = await sectionTarget(scope, given);
    if (section !== undefined && isPart(lines))
      return refusal(`${given} is a section; give it without from and to.`);
    if (section !== undefined) return await activate(scope, section.name, section);
    const named = await namedVersion(scope, given);
    if (typeof named === "string") return refusal(named);
    if (named !== undefined) return await activateVersion(scope, named, lines);
  }
  if (target.type === "unknown" || target.type === "ambiguous")
    return notFound(scope, given, target);
  if (target.type === "locked") return await activateLocked(scope, target, lines);
  const chat = target.type === "known" ? target.entry.stored : target.stored;
  if (isChat(chat)) return await openOtherChat(scope, given, chat.body.id, lines);
  if (target.type === "elsewhere" && target.stored.body.locked) return lockedElsewhere(given);
  if (lines.turn !== undefined)
    return refusal(`${given} is no chat; only a chat has turns. Give it without turn.`);
  const entry = target.type === "known" ? target.entry : joinPool(scope.state, target.stored);
  if (entry.stored.body.locked)
    return refusal(`${entry.handle} is locked; it is always in the context.`);
  return await activateEntry(scope, entry, lines);
}

/** The most number signs at which a name with a heading is split. */
const mostSplits = 8;

/**
 * Returns the name and the heading of `name#Heading`, if an object has the name. The whole text is no name of an object:
 * a name can contain a number sign.
 */
async function sectionTarget(
  scope: SessionScope,
  given: string,
): Promise<{ readonly name: string; readonly heading: string } | undefined> {
  const plain = withoutBrackets(given.trim());
  for (const { index } of [...plain.matchAll(/#/gu)].slice(0, mostSplits)) {
    const name = plain.slice(0, index).trim();
    const heading = plain.slice(index + 1).trim();
    if (name === "" || heading === "") continue;
    const { type } = await resolveTarget(scope, name);
    const isNamed = type === "known" || type === "elsewhere";
    if (isNamed || typeof (await namedVersion(scope, name)) === "object") return { name, heading };
  }
  return undefined;
}

/** Shows a field of an object as the output of the call (§20). */
export async function showField(
  scope: SessionScope,
  given: string,
  field: string,
): Promise<ToolAnswer> {
  const target = await resolveTarget(scope, given);
  const named = target.type === "unknown" ? await namedVersion(scope, given) : undefined;
  if (typeof named === "string") return refusal(named);
  if (named === undefined && (target.type === "unknown" || target.type === "ambiguous"))
    return notFound(scope, given, target);
  if (target.type === "locked")
    return refusal(`${target.name} is locked, and its fields are not shown.`);
  if (target.type === "elsewhere" && target.stored.body.locked) return lockedElsewhere(given);
  const entry =
    named?.entry ??
    (target.type === "known"
      ? target.entry
      : target.type === "elsewhere"
        ? joinPool(scope.state, target.stored)
        : undefined);
  const version = named === undefined ? undefined : { version: named.version };
  const stored =
    entry === undefined ? undefined : await scope.dependencies.store.get(entry.id, version);
  if (entry === undefined || stored === undefined)
    return refusal(`${JSON.stringify(given)} is not stored yet.`);
  if (stored.body.locked)
    return refusal(`${entry.handle} is locked, and its fields are not shown.`);
  if (named !== undefined && isEarlier(named)) {
    const within = await versionsWithin(scope, [metadataVersion(stored)]);
    if (within.length === 0) return refusal(noVersion(entry, named.version));
  }
  if (isChat(stored))
    return refusal(`${entry.handle} is a chat; activate shows it without a field.`);
  return await fieldOfObject(scope, entry.handle, stored, field);
}

/** Shows a version of a file: the newest one in the usual way, and any other as the output of the call. */
async function activateVersion(
  scope: SessionScope,
  { entry, version, range }: FileVersion,
  lines: ActivateRange,
): Promise<ToolAnswer> {
  const asked = isPart(lines) ? lines : { ...range };
  const newest = await refreshEntry(scope, entry);
  if (!isEarlier({ entry: newest, version })) return await activateEntry(scope, newest, asked);
  const stored = await scope.dependencies.store.get(entry.id, { version });
  if (stored !== undefined)
    return await earlierVersion(scope, { entry: newest, stored: metadataVersion(stored) }, asked);
  return refusal(noVersion(newest, version));
}

async function activateEntry(
  scope: SessionScope,
  known: PoolEntry,
  lines: ActivateRange,
): Promise<ToolAnswer> {
  const { state, dependencies, contents } = scope;
  const newest = await refreshEntry(scope, known);
  const isUnread = presenceOf(newest.stored.body) === "unread";
  const mayRead = dependencies.activateUnread !== "ask";
  const entry = isUnread && mayRead ? await readUnread(scope, newest) : newest;
  if (typeof entry === "string") return refusal(entry);
  const name = `${entry.handle} ${shortName(dependencies.workspace, entry.stored.body)}`;
  const read = await readVersion(scope, entry);
  if (read !== undefined && isEarlier(read)) return await activateVersion(scope, read, lines);
  if (presenceOf(entry.stored.body) === "missing") {
    const last = await lastShowable(scope, entry);
    if (last !== undefined) return await earlierVersion(scope, { entry, stored: last }, lines);
  }
  const note = noContentNote(entry.handle, entry.stored, await lastThere(scope, entry));
  const isPicture = presenceOf(entry.stored.body) === "non_text" && !mayRead;
  if (note !== undefined)
    return refusal(isPicture ? `${note} Call ${scope.readTool} with its path to see it.` : note);
  if (isUnread && !mayRead) {
    const wasRead = scope.state.shown.has(entry.id);
    return refusal(`${name} ${notShown[wasRead ? "changed" : "unread"](scope.readTool)}`);
  }
  const held = contents.get(entry.id);
  const isHeld = held?.version === entry.stored.version;
  const stored = isHeld ? held : await dependencies.store.get(entry.id);
  if (stored === undefined) return refusal(`${name}: its content is not stored.`);
  joinPool(state, metadataVersion(stored));
  const text = stored.body.content;
  if (text === null && stored.body["blocks"] === undefined)
    return refusal(`${name} has no content.`);
  const range = chosenRange(text ?? "", lines, {
    parser: dependencies.documents?.parser,
    isVisible: await visibleLines(scope, entry.stored),
  });
  if (typeof range === "string") return refusal(`${name}: ${range}`);
  contents.set(entry.id, stored);
  const before = state.active.get(entry.id);
  const isWhole = !isPart(lines);
  const isNewest = [...state.active.activations.keys()].at(-1) === entry.id;
  // The object becomes the newest one and whole. If it is both already, no version is made.
  const replaces = isWhole && !(isNewest && before?.ranges === undefined);
  await noteOwnText(scope, entry.stored);
  const found = activateShowable(scope, entry, range, { replaces });
  if (found.type !== "all" && found.type !== "lines")
    return refusal(`${name} ${notShown[found.type](scope.readTool)}`);
  const isNew = before === undefined;
  const shown = state.active.get(entry.id)?.ranges;
  const part = shown === undefined ? "" : `, ${rangesText(shown, lineCount(text ?? ""))}`;
  return {
    ok: true,
    text: `${name} is ${isNew ? "now" : "already"} active${part}.`,
    effects: [{ op: "activate", id: entry.id, ...defined({ range }) }],
  };
}

/**
 * Why text of a file is not shown. The host's own tool opens it, because other extensions of the host may hide a part
 * of it from the model.
 */
const notShown = {
  unread: (read: string) => `was not read in this session; call ${read} with its path to see it.`,
  changed: (read: string) => `has changed since it was read; call ${read} with its path to see it.`,
  "other-lines": (read: string) =>
    `was read without these lines; call ${read} with its path and these lines.`,
} as const;

/**
 * Reads a file that was only named, when it is activated; only a `read` opens files outside the workspace (decision
 * D40).
 */
async function readUnread(scope: SessionScope, entry: PoolEntry): Promise<PoolEntry | string> {
  const { files, workspace } = scope.dependencies;
  const path = entry.stored.body["path"];
  if (typeof path !== "string") return `${entry.handle} has no path to read.`;
  try {
    const [facts, root] = await Promise.all([files.stat(path), files.stat(workspace)]);
    if (facts === undefined) {
      const gone = await recordMissing(scope, entry);
      const note = noContentNote(gone.handle, gone.stored, await lastThere(scope, gone));
      return note ?? `${gone.handle}: the file is missing.`;
    }
    const reason = needsExplicitRead(facts.realPath, root?.realPath ?? workspace);
    if (reason !== undefined)
      return `${entry.handle} was not read because ${reason}; call ${scope.readTool} with its path to open it.`;
    return (await indexFile(scope, path, "human")).entry;
  } catch (error) {
    if (FileError.is(error)) return error.message;
    throw error;
  }
}

/** A note for an object. */
export interface GivenNote {
  readonly text: string;
  readonly by: NoteAuthor;
}

/**
 * Removes an object from the active set and unpins it. Its metadata stays in the pool. With a note, the note is written
 * first.
 */
export async function deactivate(
  scope: SessionScope,
  given: string,
  note?: GivenNote,
): Promise<ToolAnswer> {
  const target = await resolveTarget(scope, given);
  const answer = await onNewest(
    scope,
    given,
    target,
    async (current, handle) => await deactivate(current, handle, note),
  );
  if (answer !== undefined) return answer;
  const part = target.type === "unknown" ? await chatPart(scope, given) : undefined;
  if (part !== undefined) return await deactivate(scope, part.chat, note);
  if (target.type === "unknown" || target.type === "ambiguous")
    return notFound(scope, given, target);
  if (target.type === "locked") {
    if (note !== undefined) return refusal(`${target.name} is locked and has no note.`);
    const shown = [target.id, ...openedTurns(scope)].filter((id) => scope.state.active.has(id));
    if (target.id === scope.state.chat.id && shown.length > 0) {
      const effects = shown.map((id) => ({ op: "deactivate", id }) as const);
      for (const id of shown) setInactive(scope, id);
      return { ok: true, text: `${target.name}: the extra lines are inactive.`, effects };
    }
    return refusal(`${target.name} is locked and cannot be deactivated.`);
  }
  if (target.type === "elsewhere")
    return refusal(`${JSON.stringify(given)} is not in this session.`);
  const { entry } = target;
  if (entry.stored.body.locked)
    return refusal(`${entry.handle} is locked and cannot be deactivated.`);
  const noted =
    note === undefined ? undefined : await writeNote(scope, entry.id, note.text, note.by);
  if (noted?.ok === false) return noted;
  const name = `${entry.handle} ${shortName(scope.dependencies.workspace, entry.stored.body)}`;
  const wasActive = setInactive(scope, entry.id);
  const departure = departureFromView(scope, entry);
  const state = wasActive ? "is inactive" : "is inactive already";
  const longer =
    departure?.when === "epoch-end" && departure.mayStay === true
      ? ", and may stay longer in short results and in arguments of calls"
      : "";
  const report =
    departure?.when === "never"
      ? `${name} ${state}; its text (${departure.tokens} tokens) stays, because so short a text is not removed by itself.`
      : departure?.when === "epoch-end"
        ? `${name} ${state}; its text stays for now${longer}; activate ${entry.handle} restores it.`
        : `${name} ${state}${wasActive ? `; activate ${entry.handle} restores it` : ""}.`;
  const text = noted === undefined ? report : `${report} Its note is kept.`;
  return { ok: true, text, effects: [{ op: "deactivate", id: entry.id }] };
}

/**
 * Keeps an object active until it is deactivated or unpinned, and activates it first if it is inactive (decision D42).
 */
export async function pin(scope: SessionScope, given: string): Promise<ToolAnswer> {
  const target = await resolveTarget(scope, given);
  if (target.type === "locked")
    return refusal(`${target.name} is locked and always in the context; it needs no pin.`);
  if (target.type === "elsewhere" && isChat(target.stored))
    return refusal(
      `${given} is the chat of another session; activate shows it, and it cannot be pinned.`,
    );
  if (target.type === "known" && isChat(target.entry.stored))
    return refusal(`${given} is an archived chat; activate shows it, and it cannot be pinned.`);
  if (target.type === "unknown" && (await chatPart(scope, given)) !== undefined)
    return refusal(`${given} is a part of the chat; activate shows it, and it cannot be pinned.`);
  const version = target.type === "unknown" ? await namedVersion(scope, given) : undefined;
  if (typeof version === "string") return refusal(version);
  if (version !== undefined && !isEarlier(version)) return await pin(scope, version.entry.handle);
  const isActive = target.type === "known" && scope.state.active.has(target.entry.id);
  const activated = isActive ? undefined : await activate(scope, given);
  if (activated?.ok === false) return activated;
  // An earlier version does not become active: the call shows it, or says that it is empty.
  if (activated?.effects.length === 0)
    return refusal(`${given} is an earlier version, which cannot be pinned; activate shows it.`);
  const entry = await knownEntry(scope, given);
  if (entry === undefined) return refusal(`${JSON.stringify(given)} is not in this session.`);
  const isNews = scope.state.active.pin(entry.id);
  const name = `${entry.handle} ${shortName(scope.dependencies.workspace, entry.stored.body)}`;
  return {
    ok: true,
    text: isNews ? `${name} is pinned and active.` : `${name} is pinned already.`,
    effects: [{ op: "pin", id: entry.id }],
  };
}

/** Unpins an object, so that the policy applies to it again (decision D42). */
export async function unpin(scope: SessionScope, given: string): Promise<ToolAnswer> {
  const target = await resolveTarget(scope, given);
  const answer = await onNewest(scope, given, target, unpin);
  if (answer !== undefined) return answer;
  if (target.type === "unknown" || target.type === "ambiguous")
    return notFound(scope, given, target);
  if (target.type !== "known") return refusal(`${JSON.stringify(given)} is not pinned.`);
  const { entry } = target;
  const name = `${entry.handle} ${shortName(scope.dependencies.workspace, entry.stored.body)}`;
  const text = scope.state.active.unpin(entry.id)
    ? `${name} is no longer pinned.`
    : `${name} is not pinned.`;
  return { ok: true, text, effects: [{ op: "unpin", id: entry.id }] };
}

/** Adds an object of the store to the pool as inactive. No tool of the model does this (decision D41). */
export async function loadInactive(scope: SessionScope, given: string): Promise<ToolAnswer> {
  const target = await resolveTarget(scope, given);
  if (target.type === "unknown" || target.type === "ambiguous")
    return notFound(scope, given, target);
  if (target.type === "locked")
    return refusal(`${target.name} is locked; it is always in the context.`);
  if (target.type === "elsewhere" && target.stored.body.locked) return lockedElsewhere(given);
  if (target.type === "known") return done(`${target.entry.handle} is in the pool already.`);
  const entry = joinPool(scope.state, target.stored, { loaded: true });
  return done(
    `${entry.handle} ${shortName(scope.dependencies.workspace, entry.stored.body)} joined the pool, inactive.`,
  );
}

/** Acts on a file of which a name means the newest version. Undefined for a name without a version. */
async function onNewest(
  scope: SessionScope,
  given: string,
  { type }: Target,
  act: (scope: SessionScope, handle: string) => Promise<ToolAnswer>,
): Promise<ToolAnswer | undefined> {
  const named = type === "unknown" ? await namedVersion(scope, given) : undefined;
  if (named === undefined) return undefined;
  if (typeof named === "string") return refusal(named);
  const { entry, version } = named;
  if (version === entry.stored.version) return await act(scope, entry.handle);
  return refusal(
    version > entry.stored.version
      ? noVersion(entry, version)
      : `${given} is an earlier version. It is the output of the call that showed it; name that call.`,
  );
}

async function knownEntry(scope: SessionScope, given: string): Promise<PoolEntry | undefined> {
  const target = await resolveTarget(scope, given);
  return target.type === "known" ? target.entry : undefined;
}

function done(text: string): ToolAnswer {
  return { ok: true, text, effects: [] };
}
