import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type LineRange,
  withRange,
} from "@self-context-manager/objects";
import { type EditPair, pairsIn } from "./edit-pairs.ts";
import { lineFeedsOnly } from "./line-ends.ts";

/**
 * Whether the arguments of a call tell how a file got its text. `whole`: an argument is the text. `changed`: the
 * arguments name each changed part of the text before. Undefined: the file has text that the model did not write, for
 * example from a formatter or on another machine. Line ends and a byte order mark do not count, because tools write
 * those that the file has.
 */
export function ownChange(
  before: string | undefined,
  after: string,
  args: JsonObject,
): "whole" | "changed" | undefined {
  const text = lineFeedsOnly(after);
  if (textsIn(args).some((one) => one === after || lineFeedsOnly(one) === text)) return "whole";
  if (before === undefined) return undefined;
  return changedText(before, after, args, []) === undefined ? undefined : "changed";
}

/**
 * Returns the lines of a changed text that the model knows, if it knew lines of the text before: lines of which every
 * character was known or is the model's own. The arguments must tell the change, as `ownChange` finds out.
 */
export function knownLines(
  before: string,
  after: string,
  args: JsonObject,
  known: readonly LineRange[],
): readonly LineRange[] {
  const changed = changedText(before, after, args, known);
  if (changed === undefined) return [];
  let ranges: readonly LineRange[] = [];
  let start = 0;
  const lines = changed.text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const [index, { length }] of lines.entries()) {
    if (!changed.marks.slice(start, start + length).includes(isUnknown))
      ranges = withRange(ranges, { from: index + 1, to: index + 1 }) ?? [];
    start += length + 1;
  }
  return ranges;
}

/** Returns the length of the longest text in arguments. */
export function longestText(args: JsonObject): number {
  return textsIn(args).reduce((longest, { length }) => Math.max(longest, length), 0);
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** A text with a mark for each character: whether the model knows it. */
interface MarkedText {
  readonly text: string;
  readonly marks: string;
}

const isKnown = "k";
const isUnknown = "u";

/**
 * Returns the text before with the replacements of the arguments, if it is the text after. Tools apply several
 * replacements one after another, or all to the text before. A tool that does not find a text can look for a similar
 * one; then the texts are compared in the same way. In each case a line of the result has only characters of the lines
 * that it was made from and of the arguments.
 */
function changedText(
  before: string,
  after: string,
  args: JsonObject,
  known: readonly LineRange[],
): MarkedText | undefined {
  const pairs = pairsIn(args);
  if (pairs.length === 0) return undefined;
  const isExact = pairs.every(({ find }) => lineFeedsOnly(before).includes(lineFeedsOnly(find)));
  for (const form of isExact ? [lineFeedsOnly] : [lineFeedsOnly, similarText]) {
    const text = markedText(before, known, form);
    const wanted = form(after);
    const edits = pairs.map(({ find, put, isForAll }) => ({
      find: form(find),
      put: lineFeedsOnly(put),
      isForAll,
    }));
    if (edits.some(({ find }) => find === "")) continue;
    for (const replace of [replacedInOrder, replacedAtOnce]) {
      const changed = replace(text, edits);
      if (changed !== undefined && form(changed.text) === wanted) return changed;
    }
  }
  return undefined;
}

/**
 * Returns a text in which similar characters are the same and lines have no blanks at their ends. The number of lines
 * stays. Pi's `edit` compares texts in this form if it does not find the text to replace.
 */
function similarText(text: string): string {
  return lineFeedsOnly(text)
    .normalize("NFKC")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replaceAll(/[\u2018\u2019\u201A\u201B]/gu, "'")
    .replaceAll(/[\u201C\u201D\u201E\u201F]/gu, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/gu, "-")
    .replaceAll(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/gu, " ");
}

/** Returns a text in a form that keeps its lines, with the characters of the given lines as known. Line ends are known. */
function markedText(
  text: string,
  known: readonly LineRange[],
  form: (text: string) => string,
): MarkedText {
  const formed = form(text);
  const marks = formed
    .split("\n")
    .map((line, index) => {
      const isIn = known.some(({ from, to }) => from <= index + 1 && index + 1 <= to);
      return (isIn ? isKnown : isUnknown).repeat(line.length);
    })
    .join(isKnown);
  return { text: formed, marks };
}

function replacedInOrder(marked: MarkedText, pairs: readonly EditPair[]): MarkedText | undefined {
  let changed = marked;
  for (const pair of pairs) {
    const places = placesOf(changed.text, pair);
    if (places.length === 0) return undefined;
    changed = withPieces(
      changed,
      places.map((at) => ({ at, pair })),
    );
  }
  return changed;
}

function replacedAtOnce(marked: MarkedText, pairs: readonly EditPair[]): MarkedText | undefined {
  const pieces: Piece[] = [];
  for (const pair of pairs) {
    const places = placesOf(marked.text, pair);
    if (places.length === 0) return undefined;
    pieces.push(...places.map((at) => ({ at, pair })));
  }
  pieces.sort((a, b) => a.at - b.at);
  const isOverlap = pieces.some(({ at }, index) => {
    const last = pieces[index - 1];
    return last !== undefined && last.at + last.pair.find.length > at;
  });
  return isOverlap ? undefined : withPieces(marked, pieces);
}

/** Returns where the text to find is: its first place, or all places. */
function placesOf(text: string, { find, isForAll }: EditPair): readonly number[] {
  const places: number[] = [];
  let at = text.indexOf(find);
  while (at !== -1) {
    places.push(at);
    at = isForAll ? text.indexOf(find, at + find.length) : -1;
  }
  return places;
}

/** A replacement at a place. */
interface Piece {
  readonly at: number;
  readonly pair: EditPair;
}

function withPieces({ text, marks }: MarkedText, pieces: readonly Piece[]): MarkedText {
  let made = "";
  let madeMarks = "";
  let from = 0;
  for (const { at, pair } of pieces) {
    made += text.slice(from, at) + pair.put;
    madeMarks += marks.slice(from, at) + isKnown.repeat(pair.put.length);
    from = at + pair.find.length;
  }
  return { text: made + text.slice(from), marks: madeMarks + marks.slice(from) };
}
