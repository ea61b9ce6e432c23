/** Lines of a text, from 1, both ends included. */
export type LineRange = { readonly from: number; readonly to: number };

/** How many lines a text has; a line break at the end does not begin another. */
export function lineCount(text: string): number {
  if (text === "") return 0;
  let count = text.endsWith("\n") ? 0 : 1;
  for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1))
    count += 1;
  return count;
}

/** The lines of a range, with their line breaks. */
export function linesOf(text: string, range: LineRange): string {
  let start = 0;
  for (let line = 1; line < range.from; line += 1) {
    const next = text.indexOf("\n", start);
    if (next === -1) return "";
    start = next + 1;
  }
  let end = start;
  for (let line = range.from; line <= range.to; line += 1) {
    const next = text.indexOf("\n", end);
    if (next === -1) return text.slice(start);
    end = next + 1;
  }
  return text.slice(start, end);
}

/**
 * The range of a text that a request means: `from` line on, `count` lines at most; undefined for the whole text. Throws
 * `RangeError` with what the text has, for a range outside it.
 */
export function rangeOf(
  text: string,
  from: number | undefined,
  to: number | undefined,
): LineRange | undefined {
  const lines = lineCount(text);
  const first = from ?? 1;
  const last = Math.min(to ?? lines, lines);
  if (!Number.isInteger(first) || first < 1 || first > Math.max(1, lines)) {
    throw new RangeError(`line ${first} is outside the text, which has ${lines} lines`);
  }
  if (!Number.isInteger(last) || (last < first && lines > 0)) {
    throw new RangeError(`lines ${first} to ${to ?? lines} are no range`);
  }
  return first === 1 && last >= lines ? undefined : { from: first, to: last };
}

/** The first lines of a text that fit both limits, or undefined where the whole text does. */
export function headRange(text: string, limits: ReadLimits): LineRange | undefined {
  const lines = lineCount(text);
  if (lines <= limits.lines && text.length <= limits.characters) return undefined;
  let end = 0;
  let line = 0;
  while (line < limits.lines && line < lines) {
    const next = text.indexOf("\n", end);
    const after = next === -1 ? text.length : next + 1;
    if (after > limits.characters && line > 0) break;
    end = after;
    line += 1;
  }
  return { from: 1, to: line };
}

/** How much of a file is shown by a `read` that names no range. */
export interface ReadLimits {
  readonly lines: number;
  readonly characters: number;
}

/** The range as a text that changed has it; undefined, the whole text, where nothing of the range is left. */
export function rangeWithin(range: LineRange, text: string): LineRange | undefined {
  const lines = lineCount(text);
  return range.from > lines ? undefined : { from: range.from, to: Math.min(range.to, lines) };
}

/** The range that covers two ranges; undefined is the whole text. */
export function coveringRange(
  left: LineRange | undefined,
  right: LineRange | undefined,
): LineRange | undefined {
  if (left === undefined || right === undefined) return undefined;
  return { from: Math.min(left.from, right.from), to: Math.max(left.to, right.to) };
}
