import type { CharRange, FetchedLines } from "./call-view.ts";
import { charRange, lineEnds } from "./line-ranges.ts";
import { countText } from "./tokens.ts";

/** Lines that the model asks for before and after those that it needs. */
const margin = 5;
/** The fewest tokens that it asks for, if the text has as many. */
const fewestTokens = 500;

/** The lines of each text that were found before, by the first and last wanted character. */
const known = new WeakMap<FetchedText, Map<string, FetchedLines | undefined>>();

interface FetchedText {
  readonly text: string;
}

/**
 * Returns the lines of a text that a model asks for to get some ranges of it: from the first line that contains a part
 * of them to the last, 5 lines more on each side, and then one line on each side at a time until they have 500 tokens.
 * Returns undefined if these are all lines of the text. Many runs ask for the same lines, so the answers are kept.
 */
export function fetchedLines(
  source: FetchedText,
  wanted: readonly CharRange[],
): FetchedLines | undefined {
  const start = Math.min(...wanted.map((range) => range.start));
  const end = Math.max(...wanted.map((range) => range.end));
  const answers = known.get(source) ?? new Map<string, FetchedLines | undefined>();
  known.set(source, answers);
  const key = `${start} ${end}`;
  if (!answers.has(key)) answers.set(key, linesAround(source.text, { start, end }));
  return answers.get(key);
}

function linesAround(text: string, wanted: CharRange): FetchedLines | undefined {
  const ends = lineEnds(text);
  let from = Math.max(1, lineAt(ends, wanted.start) - margin);
  let to = Math.min(ends.length, lineAt(ends, wanted.end - 1) + margin);
  const count = (one: number, other: number): number => {
    const { start, end } = charRange(ends, one, other);
    return countText(text.slice(start, end));
  };
  let tokens = count(from, to);
  while (tokens < fewestTokens && (from > 1 || to < ends.length)) {
    // Counting only the added lines is faster. Together with the other lines they can have fewer tokens.
    let added = 0;
    while (tokens + added < fewestTokens && (from > 1 || to < ends.length)) {
      if (from > 1) {
        from -= 1;
        added += count(from, from);
      }
      if (to < ends.length) {
        to += 1;
        added += count(to, to);
      }
    }
    tokens = count(from, to);
  }
  const isWhole = from === 1 && to === ends.length;
  return isWhole ? undefined : { from, to, ...charRange(ends, from, to), tokens };
}

/** The line of a character, counted from 1. */
function lineAt(ends: readonly number[], at: number): number {
  const index = ends.findIndex((end) => at < end);
  return index === -1 ? ends.length : index + 1;
}
