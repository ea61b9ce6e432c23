import type { ObjectId, ObjectStore, StoredMetadata } from "@self-context-manager/core";
import {
  forget,
  type ForgetPlan,
  type ForgetTarget,
  planForget,
  type PlanOptions,
} from "@self-context-manager/core/forget";
import { removableObjects, storeContents } from "@self-context-manager/core/inspect";
import {
  allItems,
  defined,
  selectVersion,
  StoreError,
  versionedName,
  type VersionSelector,
} from "@self-context-manager/objects";

import { findSecrets, type KnownMarks, secretMarks } from "@self-context-manager/compose";

import { resolve, sep } from "node:path";

import { CliError, UsageError } from "../cli-errors.ts";
import {
  type Command,
  type CommandCall,
  jsonOption,
  targetNote,
  targetOptions,
} from "../command.ts";
import { linkParts } from "../followed-links.ts";
import { findTarget } from "../find-target.ts";
import { counted } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { objectName } from "../format/object-name.ts";
import { right, table } from "../format/table.ts";
import { visible } from "../format/terminal-text.ts";
import { copiesBeside, filesWith } from "../host-files.ts";
import { nextCommand } from "../next-command.ts";
import { secretsOf } from "../unused-secrets.ts";
import { readLines } from "../read-lines.ts";

/** A shorter text is a part of too many others. */
const shortestText = 4;

/** Different texts that are forgotten without a look at their list. */
const mostTexts = 50;

/** Objects that the list shows; the others are counted. */
const mostListed = 40;

export const forgetCommand: Command = {
  name: "forget",
  summary: "remove texts, objects, sessions or a workspace for good, after a list of what will go",
  arguments: "[TARGET...]",
  argumentCount: { least: 0, most: 100 },
  options: {
    matching: {
      value: "REGEX",
      help: "every text that this regular expression of JavaScript fits, in every field of every version",
    },
    secrets: { help: "everything that looks like a credential, and was stored before or as it is" },
    literal: {
      value: "TEXT",
      help: "this text, wherever it is; - reads it from standard input, so that the shell does not keep it",
    },
    workspace: {
      value: "FOLDER",
      help: "the sessions of this folder with what only they have, and the files and notes in it",
    },
    reason: { value: "TEXT", help: "why, for the marks that remain; default: by the user" },
    yes: { help: "forget without a question" },
    many: { help: `with --yes: also if more than ${mostTexts} different texts match` },
    ...targetOptions,
    ...jsonOption,
  },
  notes: `${targetNote}
TARGET can have a version behind an @: a.txt@3 is forgotten in this version only. A session is forgotten with what
only it has. Of an object or a version, copies of its content in other objects go too.

What goes is listed first: which objects and versions, which sessions show them, and which files outside of the store
still have it. Then a question follows, or --yes. Of a text remains a mark, [forgotten: DATE, REASON], and of an object
a tombstone. The text is then in no version, index, log or free page of the store, and if a host sends it again, it is
stored as the mark. Running sessions show the mark from their next call on. Exports, backups and the files of the host
are not changed. It cannot be undone.`,
  async run(call) {
    const { reason, note } = noteOf(call);
    await using input = linesOf(call);
    await using store = await call.openStore({ patient: true });
    const { key } = await store.privacy();
    const given = await targetOf(store, call, input);
    const marks = await knownMarks(call, given);
    const target = withMarks(given, marks);
    const options: PlanOptions = { ...note, key };
    const plan = await planned(call, store, target, options);
    const left = await elsewhere(call, store, plan, target);
    const onlyMarks = plan.objects.length === 0 ? (marks?.secrets.length ?? 0) : 0;
    const isEmpty = plan.objects.length + onlyMarks === 0;
    if (!call.isSet("json")) await call.print(shown(call, plan, left, onlyMarks));
    if (call.isSet("yes")) checkAmount(call, plan);
    const isAgreed = !isEmpty && (call.isSet("yes") || (await agreed(call, input)));
    if (isAgreed || (isEmpty && call.isSet("yes"))) {
      const parts = [...(target.objects ?? []), ...(target.parts ?? [])];
      const secrets = await secretsOf(call, store, parts);
      await forget(store, plan, target, options);
      marks?.remove();
      await secrets.removeUnused();
      await clearIndex(store, call);
    }
    if (call.isSet("json")) await call.print(asJson(plan, left, isAgreed, reason));
    else if (isAgreed) await call.print(`${doneText(plan, target, onlyMarks)}\n`);
    else if (!isEmpty) call.note("Nothing was changed. Add --yes to forget this.");
  },
};

async function planned(
  call: CommandCall,
  store: ObjectStore,
  target: ForgetTarget,
  options: PlanOptions,
): Promise<ForgetPlan> {
  using progress = call.progress("looking through the store", "object");
  return await planForget(store, target, {
    ...options,
    progress: (count) => progress.come(undefined, count),
  });
}

/** Refuses what nobody has looked at: a pattern that fits many different texts. */
function checkAmount(call: CommandCall, { texts }: ForgetPlan): void {
  if (texts.length <= mostTexts || call.isSet("many")) return;
  throw new CliError(
    `${counted(texts.length, "different text")} match, more than ${mostTexts}; look at the list without --yes, and add --many if all of them are meant`,
  );
}

function doneText(plan: ForgetPlan, { matches }: ForgetTarget, onlyMarks: number): string {
  if (onlyMarks > 0)
    return `Forgotten: the bytes of ${counted(onlyMarks, "secret")} beside the store.`;
  const what = `${counted(versionsOf(plan), "version")} of ${counted(plan.objects.length, "object")}`;
  const again =
    matches === undefined ? "" : " The store was searched again, and no version has a match.";
  return `Forgotten: ${what}.${again}`;
}

function noteOf(call: CommandCall): {
  readonly reason: string;
  readonly note: { at: string; reason: string };
} {
  const reason = call.text("reason") ?? "by the user";
  if (!/^[^\p{Cc}[\]]{1,80}$/u.test(reason))
    throw new UsageError("--reason is one line of at most 80 characters, without square brackets");
  return { reason, note: { at: new Date().toISOString(), reason } };
}

async function targetOf(
  store: ObjectStore,
  call: CommandCall,
  input: InputLines,
): Promise<ForgetTarget> {
  const { matches, texts = [] } = await matcherOf(call, input);
  const folder = call.text("workspace");
  if (matches === undefined && folder === undefined && call.arguments.length === 0)
    throw new UsageError("give a TARGET, --matching, --literal, --secrets or --workspace");
  const objects: ObjectId[] = [];
  const sessions: ObjectId[] = [];
  const ofFolder: ObjectId[] = [];
  const versions = new Map<ObjectId, number[]>();
  for (const name of call.arguments) {
    const { stored, version } = await named(store, call, name);
    const { id, type } = stored.body;
    if (version !== undefined) versions.set(id, [...(versions.get(id) ?? []), version]);
    else if (type === "session") sessions.push(id);
    else if (type === "chat" || type === "view")
      throw new CliError(
        `${visible(name)} is the ${type} of a session, which cannot be without it; name the session`,
      );
    else objects.push(id);
  }
  if (folder !== undefined) {
    const inFolder = await workspaceObjects(store, resolve(call.folder, folder));
    sessions.push(...inFolder.sessions);
    ofFolder.push(...inFolder.files);
  }
  const ofSessions = await partsOf(store, call, sessions);
  const parts = [...new Set([...ofSessions, ...ofFolder])];
  return { objects: [...new Set(objects)], parts, versions, texts, ...defined({ matches }) };
}

/** Returns the objects that only some sessions have, with the sessions. */
async function partsOf(
  store: ObjectStore,
  call: CommandCall,
  sessions: readonly ObjectId[],
): Promise<readonly ObjectId[]> {
  if (sessions.length === 0) return [];
  const [contents, links] = [await storeContents(store), await linkParts(store, call)];
  const { removed, kept } = await removableObjects({ store, contents, links }, new Set(sessions));
  // That a file is in a folder in which others work too is no reason to keep what only this session has read.
  const inFolder = [...kept].filter(([, { why }]) => why === "workspace").map(([id]) => id);
  return [...sessions, ...removed, ...inFolder];
}

async function named(
  store: ObjectStore,
  call: CommandCall,
  name: string,
): Promise<{ readonly stored: StoredMetadata; readonly version?: number }> {
  try {
    return { stored: await findTarget(store, call, name) };
  } catch (error) {
    const parts = versionedName(name);
    if (parts === undefined || !(error instanceof CliError)) throw error;
    const stored = await findTarget(store, call, parts.name);
    const selected = await selectVersion(store, stored.body.id, parts.version);
    const selector: VersionSelector | undefined =
      selected.type === "one" ? selected.selector : undefined;
    const one = selector === undefined ? undefined : await store.get(stored.body.id, selector);
    if (one === undefined)
      throw new CliError(
        `object ${stored.body.id} has versions 1 to ${stored.version}, and ${parts.text} names none or several; see ${nextCommand(call, "history", stored.body.id)}`,
      );
    return { stored, version: one.version };
  }
}

async function workspaceObjects(
  store: ObjectStore,
  folder: string,
): Promise<{ readonly sessions: readonly ObjectId[]; readonly files: readonly ObjectId[] }> {
  const within = (path: unknown): boolean =>
    typeof path === "string" && (path === folder || path.startsWith(`${folder}${sep}`));
  const all = async (type: string): Promise<readonly StoredMetadata[]> =>
    await allItems(async (page) => await store.find({ where: { type }, limit: 500, ...page }));
  const sessions: ObjectId[] = [];
  for (const { body } of await all("view")) {
    const view = await store.get(body.id);
    const session = view?.body["session_ref"] as { readonly id: ObjectId } | undefined;
    if (session !== undefined && within(view?.body["workspace"])) sessions.push(session.id);
  }
  const files = [...(await all("file")), ...(await all("note"))].filter(
    ({ body }) => within(body["path"]) || within(body.provenance.origin),
  );
  if (sessions.length + files.length === 0)
    throw new CliError(`the store has no session and no file of ${visible(folder)}`);
  return { sessions, files: files.map(({ body }) => body.id) };
}

async function matcherOf(
  call: CommandCall,
  input: InputLines,
): Promise<Pick<ForgetTarget, "matches" | "texts">> {
  const pattern = call.text("matching");
  const literal = call.text("literal");
  const given = [pattern, literal, call.isSet("secrets") ? "" : undefined];
  if (given.filter((one) => one !== undefined).length > 1)
    throw new UsageError("give one of --matching, --literal and --secrets");
  if (call.isSet("secrets")) return { matches: (text) => findSecrets(text) };
  if (literal !== undefined) {
    const text = literal === "-" ? await input.text() : literal;
    if (text.trim().length < shortestText) throw tooShort();
    return { matches: (one) => literalPlaces(one, text), texts: [text] };
  }
  if (pattern === undefined) return {};
  try {
    const regex = new RegExp(pattern, "gu");
    if (regex.test("")) throw new UsageError("--matching fits an empty text; write what it needs");
    return { matches: (text) => regexPlaces(text, regex) };
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`--matching is no regular expression (${String(cause)})`, { cause });
  }
}

/** The lines of standard input, which is only read if a line is needed. */
interface InputLines extends AsyncDisposable {
  /** Returns the next line without its end; empty after the last one. */
  next(): Promise<string>;
  /** Returns the text that is to be forgotten: a line of a person, or else all that is there. */
  text(): Promise<string>;
}

function linesOf(call: CommandCall): InputLines {
  let lines: AsyncGenerator<string> | undefined;
  const next = async (): Promise<string | undefined> => {
    lines ??= readLines(call.stdin);
    const { value } = await lines.next();
    return typeof value === "string" ? value.replace(/\r$/u, "") : undefined;
  };
  return {
    next: async () => (await next()) ?? "",
    async text() {
      if (call.canAsk) {
        call.note("Paste the text and press Enter. Nothing is changed before you confirm it.");
        return (await next()) ?? "";
      }
      const all: string[] = [];
      for (let line = await next(); line !== undefined; line = await next()) all.push(line);
      return all.join("\n").trimEnd();
    },
    async [Symbol.asyncDispose]() {
      await lines?.return(undefined);
    },
  };
}

function* literalPlaces(text: string, wanted: string): Iterable<{ start: number; end: number }> {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    yield { start: at, end: at + wanted.length };
}

function* regexPlaces(text: string, regex: RegExp): Iterable<{ start: number; end: number }> {
  for (const { 0: found, index } of text.matchAll(regex)) {
    if (found === "") continue;
    if (found.trim().length < shortestText)
      throw new UsageError(
        `--matching fits ${JSON.stringify(visible(found))}, and a text of less than ${shortestText} characters is a part of too many others; write a pattern that fits only longer ones`,
      );
    yield { start: index, end: index + found.length };
  }
}

function tooShort(): UsageError {
  return new UsageError(
    `a text of less than ${shortestText} characters is a part of too many others; give more of it`,
  );
}

/** Returns the secrets beside the store that are meant, of which the store has only marks. */
async function knownMarks(
  call: CommandCall,
  { matches }: ForgetTarget,
): Promise<KnownMarks | undefined> {
  if (matches === undefined) return undefined;
  const isMeant = (secret: string): boolean => [...matches(secret)].length > 0;
  return secretMarks(await call.namedPlace(), call.environment, isMeant);
}

function withMarks(target: ForgetTarget, marks: KnownMarks | undefined): ForgetTarget {
  const { matches } = target;
  if (marks === undefined || matches === undefined || marks.secrets.length === 0) return target;
  return {
    ...target,
    texts: [...(target.texts ?? []), ...marks.secrets],
    *matches(text) {
      yield* matches(text);
      yield* marks.places(text);
    },
  };
}

/** What this command does not change. */
interface Elsewhere {
  readonly files: readonly string[];
  readonly copies: readonly string[];
}

async function elsewhere(
  call: CommandCall,
  store: ObjectStore,
  plan: ForgetPlan,
  { matches }: ForgetTarget,
): Promise<Elsewhere> {
  const place = await call.namedPlace();
  const forms = plan.texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  const hasText = (text: string): boolean =>
    forms.some((form) => text.includes(form)) ||
    (matches !== undefined && [...matches(text)].length > 0);
  // A text can be in files of which the store has no version with it.
  const objects =
    matches === undefined
      ? [...plan.objects.map(({ stored }) => stored), ...plan.sessions]
      : [...(await newest(store, "file")), ...(await newest(store, "session"))];
  return {
    files: await filesWith(matches === undefined ? () => true : hasText, objects, call.environment),
    copies: place.store === "sqlite" ? await copiesBeside(place.at) : [],
  };
}

/** Files and sessions of which the files outside of the store are looked at. */
const mostLookedAt = 1_000;

async function newest(store: ObjectStore, type: string): Promise<readonly StoredMetadata[]> {
  return (await store.find({ where: { type }, newestFirst: true, limit: mostLookedAt })).items;
}

async function agreed(call: CommandCall, input: InputLines): Promise<boolean> {
  if (!call.canAsk || call.isSet("json")) return false;
  call.note("This cannot be undone. Type yes to forget it:");
  return ["y", "yes"].includes((await input.next()).trim().toLowerCase());
}

/** The words of forgotten texts must not stay in the index. It is made again when somebody searches. */
async function clearIndex(store: ObjectStore, call: CommandCall): Promise<void> {
  try {
    await using documents = await call.openDocuments(store);
    await documents.search.clear();
  } catch (cause) {
    if (!(cause instanceof Error) || StoreError.is(cause)) throw cause;
    throw new CliError(
      `the store has forgotten it, and the search index could not be cleared (${cause.message}); repeat the command, or delete the index beside the store`,
      { cause },
    );
  }
}

function versionsOf({ objects }: ForgetPlan): number {
  return objects.reduce((count, { versions }) => count + versions.length, 0);
}

function shown(call: CommandCall, plan: ForgetPlan, left: Elsewhere, onlyMarks: number): string {
  if (onlyMarks > 0)
    return `No version has it. The file of secrets beside the store has the bytes of ${counted(onlyMarks, "secret")}.\n${elsewhereText(left)}`;
  if (plan.objects.length === 0) return `Nothing of it is in the store.\n${elsewhereText(left)}`;
  const rows = plan.objects
    .slice(0, mostListed)
    .map(({ stored: { body, version }, versions, isWhole }) => [
      visible(body.id),
      body.type,
      `${versions.length} of ${version}`,
      isWhole ? "whole" : "texts",
      objectName(body, call.folder),
    ]);
  const rest = plan.objects.length - rows.length;
  const texts = plan.texts.slice(0, mostListed).map((text) => `  ${beginningOf(text)}`);
  const more = plan.texts.length - texts.length;
  const sessions = plan.sessions.map(({ body }) => `  ${objectName(body, call.folder)}`);
  return [
    ...(texts.length === 0
      ? []
      : [
          `${counted(plan.texts.length, "text")} match:`,
          ...texts,
          ...(more > 0 ? [`  and ${more} more`] : []),
          "",
        ]),
    table(["ID", "TYPE", right("VERSIONS"), "WHAT", "NAME"], rows).trimEnd(),
    ...(rest > 0 ? [`and ${counted(rest, "more object")}`] : []),
    ...(sessions.length === 0
      ? []
      : ["", "Sessions that have them; their next calls show what is left:", ...sessions]),
    "",
    elsewhereText(left),
  ].join("\n");
}

function elsewhereText({ files, copies }: Elsewhere): string {
  const lines = [
    ...pathLines("Files outside of the store that still have it, and stay as they are:", files),
    ...pathLines(
      "Copies and exports beside the store, which stay as they are; delete those that you do not need:",
      copies,
    ),
  ];
  return lines.length === 0 ? "" : `${lines.slice(1).join("\n")}\n\n`;
}

function pathLines(title: string, paths: readonly string[]): readonly string[] {
  return paths.length === 0 ? [] : ["", title, ...paths.map((path) => `  ${visible(path)}`)];
}

/** The beginning of a text, by which its owner knows it. */
function beginningOf(text: string): string {
  if (text.startsWith("[secret: ")) return text;
  return `${visible(text.slice(0, Math.min(4, Math.floor(text.length / 4))))}… (${counted(text.length, "character")})`;
}

function asJson(
  plan: ForgetPlan,
  { files, copies }: Elsewhere,
  isForgotten: boolean,
  reason: string,
): string {
  return jsonText({
    forgotten: isForgotten,
    reason,
    texts: plan.texts.length,
    objects: plan.objects.map(({ stored, versions, isWhole }) => ({
      id: stored.body.id,
      type: stored.body.type,
      versions: [...versions],
      whole: isWhole,
    })),
    sessions: plan.sessions.map(({ body }) => body.id),
    files_outside: [...files],
    copies_of_store: [...copies],
  });
}
