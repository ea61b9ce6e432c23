import type { SessionTimeline, TimelineCall } from "@self-context-manager/core/inspect";
import {
  hostName,
  hostOfCalls,
  partName,
  type StackKind,
  stackKinds,
  walkCalls,
} from "../figures/call-parts.ts";
import { cachedTokens, reportedTokens } from "../figures/usage.ts";

/** A layer of the stack: one part of the timeline, or all small parts of one kind. */
interface Band {
  readonly kind: StackKind;
  /** Indexes into the parts of the timeline; empty for the host's part. */
  readonly parts: readonly number[];
  readonly name: string;
}

/** The calls of a picture: indexes into the calls of the timeline, `to` excluded. */
export interface CallRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The picture of a range of calls in columns of one or several calls each. All heights are means over the calls of a
 * column, in tokens as the provider counts them; the mean times the number of calls is the sum.
 */
export interface Stack {
  readonly range: CallRange;
  readonly columns: number;
  readonly bands: readonly Band[];
  /** Mean tokens of band `b` in column `c`, at `b * columns + c`. */
  readonly heights: Float64Array;
  /** Mean tokens of all bands. */
  readonly totals: Float64Array;
  /** Mean cached tokens, and the share of the column's calls for which the provider reported them. */
  readonly cached: Float64Array;
  readonly cachedReported: Float64Array;
  /** The provider's total; NaN if no call of the column has one. */
  readonly reported: Float64Array;
}

/** The number of parts with a layer of their own. */
const ownBands = 40;
/** A part below this share of the picture's tokens joins the others of its kind. */
const smallestShare = 0.004;

/** The first call of a column; that of the number of columns is the end. */
export function columnStart({ from, to }: CallRange, columns: number, column: number): number {
  return from + Math.floor((column * (to - from)) / columns);
}

/** The column of a call. */
export function columnOf({ from, to }: CallRange, columns: number, index: number): number {
  const calls = to - from;
  const column = Math.floor(((index - from) * columns) / calls);
  // Rounding can give the column before, because columns begin at whole calls.
  return columnStart({ from, to }, columns, column + 1) <= index ? column + 1 : column;
}

/** Arranges a range of calls into at most `width` columns. */
export function stackOf(timeline: SessionTimeline, range: CallRange, width: number): Stack {
  const calls = range.to - range.from;
  const columns = Math.max(0, Math.min(Math.floor(width), calls));
  const sums = partSums(timeline, range, columns);
  const host = hostSums(timeline, range, columns);
  const bands = bandsOf(timeline, sums, columns, host);
  const heights = new Float64Array(bands.length * columns);
  const totals = new Float64Array(columns);
  const callTotals = columnCounts(range, columns);
  const { factor } = timeline.calibration;
  for (const [index, band] of bands.entries())
    for (let column = 0; column < columns; column++) {
      let sum = band.kind === "host" ? (host[column] ?? 0) : 0;
      for (const part of band.parts) sum += (sums[part * columns + column] ?? 0) * factor;
      const height = sum / (callTotals[column] ?? 1);
      heights[index * columns + column] = height;
      totals[column] = (totals[column] ?? 0) + height;
    }
  return {
    range,
    columns,
    bands,
    heights,
    totals,
    ...usageColumns(timeline.calls, range, columns),
  };
}

/** Sums of the estimated tokens of each part in each column, at `part * columns + column`. */
export function partSums(
  timeline: SessionTimeline,
  range: CallRange,
  columns: number,
): Float64Array {
  const size = timeline.parts.length;
  const byColumn = new Float64Array(size * columns);
  if (columns === 0) return byColumn;
  let column = 0;
  let end = columnStart(range, columns, 1);
  walkCalls(timeline, (index, tokens) => {
    if (index < range.from || index >= range.to) return;
    while (index >= end) {
      column++;
      end = columnStart(range, columns, column + 1);
    }
    if (timeline.calls[index]?.problem !== undefined) return;
    const start = column * size;
    for (let part = 0; part < size; part++)
      byColumn[start + part] = (byColumn[start + part] ?? 0) + (tokens[part] ?? 0);
  });
  return transposed(byColumn, size, columns);
}

/** Adding is fastest column by column, and drawing part by part. */
function transposed(byColumn: Float64Array, size: number, columns: number): Float64Array {
  const byPart = new Float64Array(byColumn.length);
  for (let column = 0; column < columns; column++)
    for (let part = 0; part < size; part++)
      byPart[part * columns + column] = byColumn[column * size + part] ?? 0;
  return byPart;
}

function columnCounts(range: CallRange, columns: number): Float64Array {
  return Float64Array.from(
    { length: columns },
    (_, column) => columnStart(range, columns, column + 1) - columnStart(range, columns, column),
  );
}

/** The sums of the host's tokens in each column. */
function hostSums(timeline: SessionTimeline, range: CallRange, columns: number): Float64Array {
  const sums = new Float64Array(columns);
  const tokens = hostOfCalls(timeline);
  for (let index = range.from; index < range.to; index++) {
    const column = columnOf(range, columns, index);
    sums[column] = (sums[column] ?? 0) + (tokens[index] ?? 0);
  }
  return sums;
}

function bandsOf(
  { parts }: SessionTimeline,
  sums: Float64Array,
  columns: number,
  host: Float64Array,
): readonly Band[] {
  const weights = parts.map((_, part) => {
    let weight = 0;
    for (let column = 0; column < columns; column++) weight += sums[part * columns + column] ?? 0;
    return weight;
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const own = new Set(
    [...weights.keys()]
      .filter((part) => (weights[part] ?? 0) > total * smallestShare)
      .sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0))
      .slice(0, ownBands),
  );
  const nameOf = (part: number): string => {
    const found = parts[part];
    return found === undefined ? "" : partName(found);
  };
  return stackKinds.flatMap((kind): readonly Band[] => {
    if (kind === "host")
      return host.some((tokens) => tokens > 0) ? [{ kind, parts: [], name: hostName }] : [];
    const ofKind = [...parts.keys()].filter(
      (part) => parts[part]?.kind === kind && (weights[part] ?? 0) > 0,
    );
    const small = ofKind.filter((part) => !own.has(part));
    const large = ofKind
      .filter((part) => own.has(part))
      .map((part) => ({ kind, parts: [part], name: nameOf(part) }));
    if (small.length === 0) return large;
    const [only] = small;
    const name =
      small.length === 1 && only !== undefined ? nameOf(only) : `${small.length} smaller parts`;
    return [...large, { kind, parts: small, name }];
  });
}

function usageColumns(
  calls: readonly TimelineCall[],
  range: CallRange,
  columns: number,
): Pick<Stack, "cached" | "cachedReported" | "reported"> {
  const cached = new Float64Array(columns);
  const cachedReported = new Float64Array(columns);
  const reported = new Float64Array(columns).fill(Number.NaN);
  for (let column = 0; column < columns; column++) {
    const [start, end] = [
      columnStart(range, columns, column),
      columnStart(range, columns, column + 1),
    ];
    let [cachedSum, reportedCalls, reportedSum] = [0, 0, 0];
    for (const call of calls.slice(start, end)) {
      cachedSum += cachedTokens(call).tokens;
      if (call.usage === undefined) continue;
      reportedCalls++;
      reportedSum += reportedTokens(call.usage);
    }
    cached[column] = cachedSum / (end - start);
    cachedReported[column] = reportedCalls / (end - start);
    if (reportedCalls > 0) reported[column] = reportedSum / reportedCalls;
  }
  return { cached, cachedReported, reported };
}

/** The band at a height of a column; undefined above the stack. */
export function bandAt(stack: Stack, column: number, tokens: number): number | undefined {
  let top = 0;
  for (const index of stack.bands.keys()) {
    top += stack.heights[index * stack.columns + column] ?? 0;
    if (tokens < top) return tokens < 0 ? undefined : index;
  }
  return undefined;
}

/** The estimated tokens of each call, as the provider would count them; 0 for a call that cannot be read. */
export function callTotals(timeline: SessionTimeline): Float64Array {
  const { factor } = timeline.calibration;
  const host = hostOfCalls(timeline);
  const totals = new Float64Array(timeline.calls.length);
  walkCalls(timeline, (index, tokens) => {
    if (timeline.calls[index]?.problem !== undefined) return;
    let sum = 0;
    for (const value of tokens) sum += value;
    totals[index] = sum * factor + (host[index] ?? 0);
  });
  return totals;
}
