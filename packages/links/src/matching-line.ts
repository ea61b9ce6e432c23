import { composed, oneLine } from "@self-context-manager/objects";

/** A line of a text, with its number from 1. */
export interface ShownLine {
  readonly line: number;
  readonly text: string;
}

/** The line of a text that fits a question. */
export interface MatchingLine extends ShownLine {
  /** The number of words of the question that the line has. */
  readonly words: number;
}

/** The number of characters of a line that are shown. */
const longest = 120;

/** How far before the first word of the question a long line begins to be shown. */
const before = 30;

/** Characters of a text in which a line is searched, so that a text of many megabytes costs little. */
const searchedCharacters = 4_000_000;

/** Most words of a question that are looked for in each line, as many as a search looks for. */
const mostWords = 32;

/**
 * Returns the first line with the most words of a question; undefined if no line has one of them. Without words, it is the
 * first line with text after the front matter. Words are found in any case, and in parts of words too, because the index
 * splits identifiers.
 */
export function matchingLine(text: string, question: string): MatchingLine | undefined {
  const words = questionWords(question);
  const lines = text.slice(0, searchedCharacters).split("\n");
  const skipped = words.length === 0 ? frontMatterLines(lines) : 0;
  let best: { readonly line: string; readonly number: number; readonly fit: number } | undefined;
  for (const [index, line] of lines.entries()) {
    if (index < skipped) continue;
    const fit = words.length === 0 ? Number(line.trim() !== "") : fitOf(compared(line), words);
    if (fit > (best?.fit ?? 0)) best = { line, number: index + 1, fit };
    if (best?.fit === Math.max(1, words.length)) break;
  }
  if (best === undefined) return undefined;
  const places = words.map((word) => compared(best.line).indexOf(word)).filter((at) => at >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  return { line: best.number, text: around(best.line, at), words: best.fit };
}

/** Returns the line of a place in a text. */
export function lineAt(text: string, offset: number): ShownLine {
  const line = text.slice(0, offset).split("\n").length;
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  return { line, text: around(text.slice(start, end === -1 ? undefined : end), offset - start) };
}

/** Returns the words of a question in lower case, with the parts of identifiers. Short words count only if there are no others. */
function questionWords(question: string): readonly string[] {
  const words = composed(question)
    .split(/[^\p{L}\p{N}\p{M}]+|(?<=\p{Ll})(?=\p{Lu})/u)
    .map((word) => word.toLowerCase());
  const long = words.filter((word) => word.length > 2 || /\p{N}/u.test(word));
  const different = new Set(long.length > 0 ? long : words.filter((word) => word !== ""));
  return [...different].slice(0, mostWords);
}

/** The number of lines of the YAML at the start of a text. */
function frontMatterLines([first = "", ...others]: readonly string[]): number {
  if (!/^\uFEFF?---\r?$/u.test(first)) return 0;
  const end = others.findIndex((line) => /^---[ \t]*\r?$/u.test(line));
  return end === -1 ? 0 : end + 2;
}

/** Returns a line in the form in which its words are compared with those of a question. */
function compared(line: string): string {
  return composed(line).toLowerCase();
}

function fitOf(line: string, words: readonly string[]): number {
  return words.filter((word) => line.includes(word)).length;
}

/** The part of a line that has a place in it. */
function around(line: string, at: number): string {
  const start = line.length > longest && at > longest - before ? at - before : 0;
  const shown = oneLine(line.slice(start)).trim();
  const cut = shown.length <= longest ? shown : `${shown.slice(0, longest - 1).trimEnd()}…`;
  return `${start > 0 ? "…" : ""}${cut}`;
}
