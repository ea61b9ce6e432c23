import { isJsonObject, type JsonObject, type JsonValue } from "@self-context-manager/objects";
import { argumentStubs } from "../lines/stand-ins.ts";
import { isTextToFind } from "./edit-pairs.ts";
import { mapTexts } from "./map-texts.ts";

/**
 * Returns the arguments of an edit without the texts that it replaced, from a number of characters on: an argument stub
 * replaces the text to find, and one line each run of removed lines in a patch. The texts that the call wrote stay. The
 * stub of a text to find names `place`, the version of the file that holds it, if it is known.
 */
export function withoutReplaced(
  args: JsonValue | undefined,
  from: number,
  place: { readonly of: string; readonly version: number } | undefined,
): JsonValue | undefined {
  return mapTexts(args, (text, name) => {
    if (!isTextToFind(name)) return withoutRuns(text, removedRuns(text, name, from));
    if (text.length < from) return text;
    return place === undefined
      ? argumentStubs.leftOut.write(text.length)
      : argumentStubs.inFile.write(text.length, place.of, place.version);
  });
}

/**
 * The texts of arguments that an edit replaced, from a number of characters on: the texts that it looked for, and the
 * runs of removed lines in patches.
 */
export interface ReplacedTexts {
  readonly found: readonly string[];
  readonly removed: readonly string[];
}

/** Returns the texts of arguments that an edit replaced, from a number of characters on. */
export function replacedTexts(args: JsonObject, from: number): ReplacedTexts {
  const found: string[] = [];
  const removed: string[] = [];
  mapTexts(args, (text, name) => {
    if (!isTextToFind(name))
      removed.push(...removedRuns(text, name, from).map((run) => text.slice(run.from, run.to)));
    else if (text.length >= from) found.push(text);
    return text;
  });
  return { found, removed };
}

/** Whether arguments have a field that can contain a text which a call replaced. It saves a search in most calls. */
export function canReplace(args: JsonObject): boolean {
  return Object.entries(args).some(
    ([name, value]) =>
      isTextToFind(name) || patchFields.has(name) || Array.isArray(value) || isJsonObject(value),
  );
}

/** A run of lines in a text: the characters from `from` to before `to`, without the last line break. */
interface Run {
  readonly from: number;
  readonly to: number;
}

/** The arguments that can contain a patch. */
const patchFields: ReadonlySet<string> = new Set(["patch", "patchText", "input", "command", "cmd"]);

/** The arguments that are a command. Only a patch in the form of `apply_patch` is looked for in it. */
const commandFields: ReadonlySet<string> = new Set(["command", "cmd"]);

/** Returns the runs of removed lines in a patch that have a number of characters or more. */
function removedRuns(text: string, name: string, least: number): readonly Run[] {
  if (!patchFields.has(name) || text.length < least) return [];
  const isMarked = text.includes(beginMark);
  if (!isMarked && commandFields.has(name)) return [];
  const runs: Run[] = [];
  let state: PatchState = isMarked ? "outside" : "header";
  let run: Run | undefined;
  let at = 0;
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    state = isMarked
      ? stateInMarked(state, line)
      : stateInUnified(state, line, lines[index + 1] ?? "");
    if (state === "hunk" && line.startsWith("-"))
      run = { from: run?.from ?? at, to: at + line.length };
    else {
      if (run !== undefined) runs.push(run);
      run = undefined;
    }
    at += line.length + 1;
  }
  if (run !== undefined) runs.push(run);
  return runs.filter(({ from, to }) => to - from >= least);
}

/** The place of a line: outside of a patch, between the parts that change a file, or in such a part. */
type PatchState = "outside" | "header" | "hunk";

const beginMark = "*** Begin Patch";

function stateInMarked(state: PatchState, line: string): PatchState {
  if (line.startsWith(beginMark) || line.endsWith(beginMark)) return "header";
  if (state === "outside" || line.startsWith("*** End Patch")) return "outside";
  if (line.startsWith("*** Update File: ")) return "hunk";
  if (line.startsWith("*** Move to: ") || line.startsWith("*** End of File")) return state;
  return line.startsWith("*** ") ? "header" : state;
}

function stateInUnified(state: PatchState, line: string, next: string): PatchState {
  if (line.startsWith("@@")) return "hunk";
  if (line.startsWith("--- ") && next.startsWith("+++ ")) return "header";
  return line === "" || /^[-+ \\\r]/u.test(line) ? state : "header";
}

function withoutRuns(text: string, runs: readonly Run[]): string {
  let shown = "";
  let at = 0;
  for (const { from, to } of runs) {
    shown += `${text.slice(at, from)}${argumentStubs.leftOut.write(to - from)}`;
    at = to;
  }
  return shown + text.slice(at);
}
