import { composed } from "@self-context-manager/objects";

/**
 * Names with letters of other scripts are measured in columns of a terminal and cut between graphemes. Words are found
 * by the marks between them: the dictionaries of `Intl.Segmenter` differ between releases of Node, and a name must have
 * the same bytes whenever it is rendered.
 */
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Characters of two columns: letters of East Asia, their marks, full forms, and emoji. */
const wide =
  /[\u1100-\u115F\u231A\u231B\u23E9-\u23F3\u2614\u2615\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{17000}-\u{18CFF}\u{1B000}-\u{1B2FF}\u{1F1E6}-\u{1F1FF}\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

/** Characters that have no column of their own: accents, joiners, and the inner letters of a Korean syllable. */
const joined = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11FF\uD7B0-\uD7FF]|\p{Emoji_Modifier}/u;

/** Characters of a grapheme that have no width beyond its columns. Each further one has, because it has tokens. */
const freeCharacters = 4;

/** Marks between the words of a name. */
const betweenWords = /^[\s/\\._,;:()[\]{}&+'"’‐-―·・、。「」『』（）-]$/u;

/** The mark for a missing part of a name. */
export const cutMark = "…";

/** Returns the columns of a text, of which each grapheme has at least one. Both compositions of a letter have the same. */
export function widthOf(text: string): number {
  return sumOf(graphemesOf(text));
}

/**
 * Returns a path within a width. A longer one keeps its beginning, and its end from the name of the file on. A file whose
 * own name is too long keeps the beginning and the end of that name.
 */
export function pathOfWidth(path: string, width: number): string {
  const all = graphemesOf(path);
  if (sumOf(all) <= width) return path;
  const slash = all.findLastIndex(({ text }) => text === "/");
  const file = all.slice(Math.max(slash, 0));
  if (slash < 1 || sumOf(file) >= width) {
    const own = all.slice(slash + 1);
    const folder = slash < 0 ? "" : `${cutMark}/`;
    return `${folder}${middleCut(own, width - widthOf(folder))}`;
  }
  const room = width - 1;
  const end = endOf(all, Math.max(sumOf(file), room - Math.floor(width / 3)));
  const tail = end.slice(end.findIndex(({ text }) => text === "/"));
  const head = toWordEnd(startOf(all, room - sumOf(tail)));
  return `${textOf(head)}${cutMark}${textOf(tail)}`;
}

/** Returns the beginning of a text within a width, with a mark for the missing part. */
export function beginningOfWidth(text: string, width: number): string {
  const all = graphemesOf(text);
  if (sumOf(all) <= width) return text;
  return `${textOf(toWordEnd(startOf(all, width - 1)))}${cutMark}`;
}

/** A grapheme with its width. */
interface Grapheme {
  readonly text: string;
  readonly width: number;
}

function graphemesOf(text: string): readonly Grapheme[] {
  return Array.from(graphemes.segment(text), ({ segment }) => ({
    text: segment,
    width: graphemeWidth(segment),
  }));
}

function graphemeWidth(grapheme: string): number {
  const characters = Array.from(composed(grapheme));
  const columns = characters.reduce((sum, one) => sum + columnsOf(one), 0);
  // An emoji of several characters is one picture.
  const isPicture = characters.length > 1 && /\u200D|\uFE0F|\p{Regional_Indicator}/u.test(grapheme);
  const further = Math.max(0, characters.length - freeCharacters);
  return Math.max(1, isPicture ? 2 : columns) + further;
}

function columnsOf(character: string): number {
  if (joined.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

function middleCut(all: readonly Grapheme[], width: number): string {
  const room = width - 1;
  const head = toWordEnd(startOf(all, Math.floor(room / 2)));
  const tail = fromWordStart(endOf(all, room - sumOf(head)));
  return `${textOf(head)}${cutMark}${textOf(tail)}`;
}

function startOf(all: readonly Grapheme[], width: number): readonly Grapheme[] {
  let sum = 0;
  const end = all.findIndex((one) => {
    sum += one.width;
    return sum > width;
  });
  return end === -1 ? all : all.slice(0, end);
}

function endOf(all: readonly Grapheme[], width: number): readonly Grapheme[] {
  return startOf(all.toReversed(), width).toReversed();
}

/** Returns the whole words of a beginning, unless more than half of it would be lost. */
function toWordEnd(beginning: readonly Grapheme[]): readonly Grapheme[] {
  const last = beginning.findLastIndex(({ text }) => betweenWords.test(text));
  if (last + 1 < beginning.length / 2) return beginning;
  return beginning.slice(0, last + 1);
}

/** Returns the whole words of an end, unless more than half of it would be lost. */
function fromWordStart(end: readonly Grapheme[]): readonly Grapheme[] {
  const first = end.findIndex(({ text }) => betweenWords.test(text));
  if (first === -1 || first > end.length / 2) return end;
  return end.slice(end[first]?.text === " " ? first + 1 : first);
}

function sumOf(some: readonly Grapheme[]): number {
  return some.reduce((sum, { width }) => sum + width, 0);
}

function textOf(some: readonly Grapheme[]): string {
  return some.map(({ text }) => text).join("");
}
