import type { Block } from "@self-context-manager/core";
import {
  defined,
  type JsonObject,
  type LineRange,
  type StoredVersion,
} from "@self-context-manager/objects";

import {
  entryOf,
  fileBodyOf,
  fileNames,
  type ResultFacts,
  storeVersion,
  toolcallBody,
} from "./session-objects.ts";
import type { SessionPlace } from "./session-place.ts";
import { type CallScript, image, scriptText } from "./session-script.ts";
import {
  activated,
  changedByModel,
  deactivated,
  pinnedNow,
  refreshed,
  scriptRange,
  type SessionNow,
  used,
  withEntry,
} from "./session-state.ts";

/** A tool call as the model writes it. */
export interface NamedCall {
  readonly tool: string;
  readonly args: JsonObject;
}

export function callOf(now: SessionNow, script: CallScript): NamedCall {
  switch (script.does) {
    case "command":
      return { tool: "bash", args: commandArguments(script.nth) };
    case "search":
      return { tool: "grep", args: { pattern: `word ${script.nth}` } };
    case "fetch":
      return { tool: "fetch", args: { url: `https://example.org/${script.nth}` } };
    case "picture":
      return { tool: "screenshot", args: { name: "page" } };
    case "write":
      return {
        tool: "write",
        args: { path: pathOf(script.file), content: scriptText(script.text) },
      };
    case "edit":
      return {
        tool: "edit",
        args: {
          path: pathOf(script.file),
          edits: [{ oldText: "text", newText: scriptText(script.text) }],
          ...replacedArguments(script.file),
        },
      };
    case "read":
      return { tool: "read", args: { path: pathOf(script.file) } };
    case "activate":
    case "pin":
    case "deactivate":
    case "unpin":
      return { tool: script.does, args: { id: targetOf(now, script.object) ?? "f99" } };
  }
}

/** Returns the arguments of a command; some of them are long. */
function commandArguments(nth: number): JsonObject {
  const command = `npm run task-${nth}`;
  return nth % 3 === 2 ? { command: `${command} ${"and one more word ".repeat(30)}` } : { command };
}

/** Returns further arguments of an edit, with long texts that it replaced. */
function replacedArguments(file: number): JsonObject {
  const removed = Array.from({ length: 9 }, (_, n) => `-removed line ${n + 1} of ${file}`);
  switch (file % 4) {
    case 1:
      return { old_string: removed.join("\n"), new_string: "one line" };
    case 2:
      return { patch: ["@@ -1,9 +1,2 @@", " kept", ...removed, "+added"].join("\n") };
    default:
      return {};
  }
}

/** Returns the session after a tool has run, with its result if it arrives at once. */
export function executed(
  now: SessionNow,
  script: CallScript,
  handle: string,
  call: NamedCall & Pick<ResultFacts, "id">,
  place: SessionPlace,
): SessionNow {
  switch (script.does) {
    case "command":
    case "search":
    case "fetch": {
      const { fails, hasImage } = script;
      const file = script.does === "fetch" ? undefined : namedFile(now, script.nth, place);
      const output = scriptText(script.output);
      const isImageAlone = hasImage && output === "";
      const text: Block = { type: "text", text: output };
      const facts: ResultFacts = {
        ...call,
        failed: fails,
        content: isImageAlone ? null : output,
        ...(hasImage ? { blocks: isImageAlone ? [image] : [text, image] } : {}),
        ...defined({ file }),
      };
      return coming(now, script.comes, handle, facts, place);
    }
    case "picture": {
      const facts: ResultFacts = { ...call, failed: false, content: null, blocks: [image] };
      return coming(now, script.comes, handle, facts, place);
    }
    case "write":
    case "edit": {
      const changed = writtenFile(now, script, place);
      const facts: ResultFacts = {
        ...call,
        failed: false,
        content: script.does === "edit" && script.file % 3 === 0 ? "" : "Done.",
        file: changed.file,
      };
      return coming(changed.now, script.comes, handle, facts, place);
    }
    case "read":
      return runRead(now, script, handle, call, place);
    case "activate":
    case "pin":
    case "deactivate":
    case "unpin": {
      const target = targetOf(now, script.object);
      const then = target === undefined ? now : controlled(now, script, target, place);
      const isShown = target !== undefined && script.does !== "deactivate" && then !== now;
      const shown = isShown && script.does !== "unpin" ? then.pool.get(target)?.id : undefined;
      return reported(then, handle, call, shown === undefined ? [] : [shown], place);
    }
  }
}

function coming(
  now: SessionNow,
  comes: "at-once" | "late" | "never",
  handle: string,
  facts: ResultFacts,
  place: SessionPlace,
): SessionNow {
  if (comes === "never") return now;
  if (comes === "late") return { ...now, late: [...now.late, { handle, facts }] };
  return arrived(now, handle, facts, place);
}

export function arrived(
  now: SessionNow,
  handle: string,
  facts: ResultFacts,
  place: SessionPlace,
): SessionNow {
  // A result that arrived on an abandoned branch is already stored.
  const stored = place.versions.get(`${handle}@1`);
  const entry =
    stored === undefined
      ? storeVersion(place.versions, handle, toolcallBody(facts))
      : entryOf(handle, stored);
  const isWrite = facts.tool === "write" || facts.tool === "edit";
  const withArguments = isWrite ? used(now, `${handle}/args`) : now;
  const known = used(withEntry(withArguments, entry), handle);
  const hasContent = (facts.content ?? "") !== "" || facts.blocks !== undefined;
  return hasContent ? activated(known, entry, undefined, false) : known;
}

/** Returns the file in the pool that a search or a command names. */
function namedFile(
  { pool }: SessionNow,
  nth: number,
  { versions }: SessionPlace,
): StoredVersion | undefined {
  const known = pool.get(`f${nth + 1}`);
  return known === undefined ? undefined : versions.get(`${known.handle}@${known.stored.version}`);
}

/** Adds the result of a context tool. */
function reported(
  now: SessionNow,
  handle: string,
  call: NamedCall & Pick<ResultFacts, "id">,
  shows: ResultFacts["shows"] & object,
  place: SessionPlace,
  range?: LineRange,
): SessionNow {
  const content = `${call.tool} ${JSON.stringify(Object.values(call.args)[0])}: done.`;
  const facts: ResultFacts = { ...call, failed: false, content, shows, range };
  return withEntry(now, storeVersion(place.versions, handle, toolcallBody(facts)));
}

function runRead(
  now: SessionNow,
  script: CallScript & { readonly does: "read" },
  handle: string,
  call: NamedCall & Pick<ResultFacts, "id">,
  place: SessionPlace,
): SessionNow {
  const index = script.file % fileNames.length;
  const file = `f${index + 1}`;
  const text = place.disk.get(file) ?? null;
  const known = now.pool.get(file);
  const entry = known ?? storeVersion(place.versions, file, fileBodyOf(index, text, "human"));
  const there = refreshed(withEntry(now, entry), place.versions);
  if (text === null) return reported(there, handle, call, [], place);
  const range = scriptRange(script.range, text);
  const read = activated(there, entry, range, true);
  return reported(read, handle, call, [entry.id], place, range);
}

function writtenFile(
  now: SessionNow,
  script: CallScript & { readonly does: "write" | "edit" },
  place: SessionPlace,
): { readonly now: SessionNow; readonly file: StoredVersion } {
  const index = script.file % fileNames.length;
  const handle = `f${index + 1}`;
  const before = place.disk.get(handle) ?? "";
  const written = scriptText(script.text);
  const text = script.does === "write" ? written : before.replace("text", () => written);
  return storedFile(now, index, text, "agent", place);
}

export function storedFile(
  now: SessionNow,
  index: number,
  text: string,
  generator: "human" | "agent",
  place: SessionPlace,
): { readonly now: SessionNow; readonly file: StoredVersion } {
  const handle = `f${index + 1}`;
  const known = now.pool.get(handle);
  const isSame = known !== undefined && place.disk.get(handle) === text;
  place.disk.set(handle, text);
  const entry = isSame
    ? known
    : storeVersion(place.versions, handle, fileBodyOf(index, text, generator));
  const file = place.versions.get(`${handle}@${entry.stored.version}`) as StoredVersion;
  const there = withEntry(now, entry);
  const isOwn = generator === "agent" && known !== undefined;
  return { now: isOwn ? changedByModel(there, entry, known.stored.version) : there, file };
}

/** Returns the session after the model or the user has controlled an object. */
export function controlled(
  now: SessionNow,
  script: CallScript,
  handle: string,
  place: SessionPlace,
): SessionNow {
  const entry = now.pool.get(handle);
  if (entry === undefined) return now;
  if (script.does === "deactivate") return deactivated(now, handle, true);
  if (script.does === "unpin") return pinnedNow(now, handle, false);
  const stored = place.versions.get(`${handle}@${entry.stored.version}`);
  const content = stored?.body.content ?? null;
  const hasContent = (content ?? "") !== "" || stored?.body["blocks"] !== undefined;
  if (!hasContent || entry.stored.body["context_tool"] === true) return now;
  const range = "range" in script ? scriptRange(script.range, content ?? "") : undefined;
  const isPin = script.does === "pin";
  const isShown = isPin && now.active.has(handle);
  const then = isShown ? now : activated(now, entry, range, true);
  return isPin ? pinnedNow(then, handle, true) : then;
}

export function targetOf({ pool }: SessionNow, object: number): string | undefined {
  const handles = [...pool.keys()];
  return handles[object % Math.max(1, handles.length)];
}

function pathOf(file: number): string {
  return fileNames[file % fileNames.length] ?? fileNames[0];
}
