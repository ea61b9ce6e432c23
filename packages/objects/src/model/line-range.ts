/** A range of lines, counted from 1; both ends are included. */
export type LineRange = { readonly from: number; readonly to: number };

/** Returns the number of lines of a text. A line break at the end does not begin another line. */
export function lineCount(text: string): number {
  if (text === "") return 0;
  let count = text.endsWith("\n") ? 0 : 1;
  for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1))
    count += 1;
  return count;
}

/** Returns the lines of a range with their line breaks. */
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
 * Returns the range that a request selects: the lines `from` to `to`, both included; undefined for the whole text. Throws a
 * `RangeError` if the range does not begin inside the text or ends before it begins.
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
    throw new RangeError(
      `lines ${first} to ${to ?? lines} is not a range: the end is a whole number from ${first} on`,
    );
  }
  return first === 1 && last >= lines ? undefined : { from: first, to: last };
}

/** Whether two lists of ranges are the same; undefined stands for all lines. */
export function areSameRanges(
  left: readonly LineRange[] | undefined,
  right: readonly LineRange[] | undefined,
): boolean {
  if (left === undefined || right === undefined) return left === right;
  return (
    left.length === right.length &&
    left.every(({ from, to }, index) => from === right[index]?.from && to === right[index].to)
  );
}

/** Returns the first lines of a text that fit both limits; undefined if the whole text fits. */
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

/** The limits of a `read` that names no range. */
export interface ReadLimits {
  readonly lines: number;
  readonly characters: number;
}

/** Returns the parts of ranges that a text has; undefined (the whole text) if no line of the ranges remains. */
export function rangesWithin(
  ranges: readonly LineRange[],
  text: string,
): readonly LineRange[] | undefined {
  const lines = lineCount(text);
  const within = ranges.flatMap(({ from, to }) =>
    from > lines ? [] : [{ from, to: Math.min(to, lines) }],
  );
  return within.length === 0 ? undefined : within;
}

/**
 * Returns ranges with one more, in the order of the text. Ranges that overlap or touch become one. Undefined is the
 * whole text.
 */
export function withRange(
  ranges: readonly LineRange[] | undefined,
  range: LineRange | undefined,
): readonly LineRange[] | undefined {
  if (ranges === undefined || range === undefined) return undefined;
  const joined: LineRange[] = [];
  for (const next of [...ranges, range].toSorted((left, right) => left.from - right.from)) {
    const last = joined.at(-1);
    if (last === undefined || next.from > last.to + 1) joined.push(next);
    else joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, next.to) };
  }
  return joined;
}

/** Returns the lines of a range that are in one of some ranges. */
export function sharedLines(
  ranges: readonly LineRange[],
  { from, to }: LineRange,
): readonly LineRange[] {
  return ranges.flatMap((one) => {
    const shared = { from: Math.max(one.from, from), to: Math.min(one.to, to) };
    return shared.from <= shared.to ? [shared] : [];
  });
}
