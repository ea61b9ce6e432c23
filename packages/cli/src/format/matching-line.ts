import { cutLine } from "./cut.ts";

/** A line of a text that fits a question, with its number from 1. */
export interface MatchingLine {
  readonly line: number;
  readonly text: string;
  /** The number of words of the question that the line has. */
  readonly words: number;
}

/** The number of characters of a line that are shown. */
const longest = 100;

/** How far before the first word of the question a long line begins to be shown. */
const before = 30;

/**
 * Returns the first line with the most words of a question; undefined if no line has one of them. Without words, it is the
 * first line with text after the front matter. Words are found in any
 * case, and in parts of words too, because the index splits identifiers.
 */
export function matchingLine(text: string, question: string): MatchingLine | undefined {
  const words = wordsOf(question);
  const skipped = words.length === 0 ? frontMatterLines(text) : 0;
  let best: { readonly line: string; readonly number: number; readonly fit: number } | undefined;
  let number = 0;
  for (const line of text.split("\n")) {
    number += 1;
    if (number <= skipped) continue;
    const fit = words.length === 0 ? Number(line.trim() !== "") : fitOf(line.toLowerCase(), words);
    if (fit > (best?.fit ?? 0)) best = { line, number, fit };
    if (best?.fit === Math.max(1, words.length)) break;
  }
  if (best === undefined) return undefined;
  return { line: best.number, text: around(best.line, words), words: best.fit };
}

/** The number of lines of the YAML at the start of a text. */
function frontMatterLines(text: string): number {
  const [front] = /^\uFEFF?---\r?\n(?:.*\n)*?---[ \t]*(?:\r?\n|$)/u.exec(text) ?? [];
  return front === undefined ? 0 : front.split("\n").length - 1;
}

function fitOf(line: string, words: readonly string[]): number {
  return words.filter((word) => line.includes(word)).length;
}

/** The part of a line with the first word. */
function around(line: string, words: readonly string[]): string {
  const places = words.map((word) => line.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  const first = Math.min(line.length, ...places);
  const start =
    line.length > longest && first > longest - before && places.length > 0 ? first - before : 0;
  return `${start > 0 ? "…" : ""}${cutLine(line.slice(start), longest)}`;
}

/** The words of a question in lower case, with the parts of identifiers. */
function wordsOf(question: string): readonly string[] {
  const words = question
    .split(/[^\p{L}\p{N}\p{M}]+|(?<=\p{Ll})(?=\p{Lu})/u)
    .map((word) => word.toLowerCase());
  const long = words.filter((word) => word.length > 2);
  return [...new Set(long.length > 0 ? long : words.filter((word) => word !== ""))];
}
