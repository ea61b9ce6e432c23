/** A line of a text, with its number from 1. */
export interface MatchingLine {
  readonly line: number;
  readonly text: string;
}

/** Characters of a line that an answer shows. */
const longestLine = 160;

/** Characters of a text in which a line is searched, so that a text of many megabytes costs little. */
const searchedCharacters = 4_000_000;

/** Returns the words of a query, in lower case and each once. */
export function wordsOf(query: string): readonly string[] {
  return [...new Set(query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu))];
}

/**
 * Returns the first line with the most of the words, cut around the first of them. Undefined if no line has one of them.
 */
export function matchingLine(text: string, words: readonly string[]): MatchingLine | undefined {
  let best: { readonly line: number; readonly text: string; readonly found: number } | undefined;
  for (const [index, line] of text.slice(0, searchedCharacters).split("\n").entries()) {
    const lower = line.toLowerCase();
    const found = words.filter((word) => lower.includes(word)).length;
    if (found > (best?.found ?? 0)) best = { line: index + 1, text: line, found };
    if (found === words.length) break;
  }
  if (best === undefined) return undefined;
  const lower = best.text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  return { line: best.line, text: around(best.text, Math.min(...places)) };
}

/** Returns a line of a text, cut. */
export function lineAt(text: string, offset: number): MatchingLine {
  const line = text.slice(0, offset).split("\n").length;
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  const whole = text.slice(start, end === -1 ? undefined : end);
  return { line, text: around(whole, offset - start) };
}

/** Returns the first line of a text that is not empty, cut. */
export function firstLine(text: string): MatchingLine | undefined {
  const at = text.search(/\S/u);
  return at === -1 ? undefined : lineAt(text, at);
}

function around(line: string, at: number): string {
  const trimmed = line.trim();
  if (trimmed.length <= longestLine) return trimmed;
  const start = Math.max(0, Math.min(at - longestLine / 4, line.length - longestLine));
  const cut = line.slice(start, start + longestLine).trim();
  return `${start === 0 ? "" : "…"}${cut}${start + longestLine < line.length ? "…" : ""}`;
}
