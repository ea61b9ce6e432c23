import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  lineCount,
  type LineRange,
  withRange,
} from "@self-context-manager/objects";

/**
 * Whether the arguments of a call tell how a file got its text. `whole`: an argument is the text. `changed`: the
 * arguments name each changed part of the text before. Undefined: the file has text that the model did not write, for
 * example from a formatter or on another machine.
 */
export function ownChange(
  before: string | undefined,
  after: string,
  args: JsonObject,
): "whole" | "changed" | undefined {
  if (textsIn(args).includes(after)) return "whole";
  if (before === undefined) return undefined;
  return replaced(before, pairsIn(args)) === after ? "changed" : undefined;
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** The usual names of the two arguments of an edit: the text to find and the text that replaces it. */
const pairNames: readonly (readonly [string, string])[] = [
  ["oldText", "newText"],
  ["old_string", "new_string"],
  ["oldString", "newString"],
  ["old_str", "new_str"],
];

/** Whether an argument of this name is the text that an edit finds and replaces. */
export function isTextToFind(name: string): boolean {
  return pairNames.some(([findName]) => findName === name);
}

interface Pair {
  readonly find: string;
  readonly put: string;
  readonly isForAll: boolean;
}

/** Returns the replacements that arguments describe, in order. */
function pairsIn(value: JsonValue | undefined): readonly Pair[] {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(pairsIn);
  if (!isJsonObject(value)) return [];
  const isForAll = value["replace_all"] === true || value["replaceAll"] === true;
  const own = pairNames.flatMap(([findName, putName]): readonly Pair[] => {
    const [find, put] = [value[findName], value[putName]];
    return typeof find === "string" && find !== "" && typeof put === "string"
      ? [{ find, put, isForAll }]
      : [];
  });
  return [...own, ...Object.values(value).flatMap(pairsIn)];
}

function replaced(text: string, pairs: readonly Pair[]): string | undefined {
  if (pairs.length === 0) return undefined;
  let changed = text;
  for (const pair of pairs) {
    const places = placesOf(changed, pair);
    if (places.length === 0) return undefined;
    changed = withPieces(changed, places, pair.find.length, pair.put);
  }
  return changed;
}

/**
 * Returns the lines of a changed text that the model knows, if it knew lines of the text before: lines of which every
 * character was known or is the model's own. The arguments must tell the change, as `ownChange` finds out.
 */
export function knownLines(
  before: string,
  args: JsonObject,
  known: readonly LineRange[],
): readonly LineRange[] {
  let text = before;
  let marks = marksOf(before, known);
  for (const pair of pairsIn(args)) {
    const places = placesOf(text, pair);
    text = withPieces(text, places, pair.find.length, pair.put);
    marks = withPieces(marks, places, pair.find.length, isKnown.repeat(pair.put.length));
  }
  let ranges: readonly LineRange[] = [];
  let start = 0;
  for (let line = 1; line <= lineCount(text); line += 1) {
    const next = text.indexOf("\n", start);
    const end = next === -1 ? text.length : next;
    if (!marks.slice(start, end).includes(isUnknown))
      ranges = withRange(ranges, { from: line, to: line }) ?? [];
    start = end + 1;
  }
  return ranges;
}

const isKnown = "k";
const isUnknown = "u";

/** Returns a mark for each character of a text: whether it is in one of the lines. Line feeds are known. */
function marksOf(text: string, known: readonly LineRange[]): string {
  const lines = text.split("\n");
  return lines
    .map((line, index) => {
      const isIn = known.some(({ from, to }) => from <= index + 1 && index + 1 <= to);
      return (isIn ? isKnown : isUnknown).repeat(line.length);
    })
    .join(isKnown);
}

/** Returns where the text to find is: its first place, or all places. */
function placesOf(text: string, { find, isForAll }: Pair): readonly number[] {
  const places: number[] = [];
  let at = text.indexOf(find);
  while (at !== -1) {
    places.push(at);
    at = isForAll ? text.indexOf(find, at + find.length) : -1;
  }
  return places;
}

function withPieces(
  text: string,
  places: readonly number[],
  length: number,
  piece: string,
): string {
  let made = "";
  let from = 0;
  for (const at of places) {
    made += text.slice(from, at) + piece;
    from = at + length;
  }
  return made + text.slice(from);
}
