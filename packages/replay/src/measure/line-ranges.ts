import type { CharRange } from "./call-view.ts";

/** The end of each line, behind its line break. A line break at the end of the text does not begin another line. */
export function lineEnds(text: string): readonly number[] {
  const ends: number[] = [];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) ends.push(at + 1);
  if (ends.at(-1) !== text.length) ends.push(text.length);
  return ends;
}

/** The characters from one line to another, counted from 1; both lines are included. */
export function charRange(ends: readonly number[], from: number, to: number): CharRange {
  return { start: ends[from - 2] ?? 0, end: ends[to - 1] ?? ends.at(-1) ?? 0 };
}

/** Returns ranges in order; those that overlap or touch become one. */
export function joinedRanges(ranges: readonly CharRange[]): readonly CharRange[] {
  const joined: CharRange[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || start > last.end) joined.push({ start, end });
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, end) };
  }
  return joined;
}
