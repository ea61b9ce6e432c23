import { type JsonValue, madeOnce, sameStart } from "@self-context-manager/objects";
import { readEntryRow } from "../view/entry-row.ts";
import { type EntryFill, entryFill, type FillName, type Showing } from "./entry-fill.ts";

/**
 * The difference between the rows of a view and those of the view before it. Tokens are before calibration.
 *
 * The same rows are the same bytes, except after a rewind: then a row can name another message at the same place.
 */
export interface RowsChange {
  /** Number of rows at the beginning that are the same, and their tokens. */
  readonly sameRows: number;
  readonly sameTokens: number;
  /** Tokens of later rows that the view before had too: they were sent before, and are sent again behind a change. */
  readonly resentTokens: number;
  /** The first row that differs; undefined if the view before has no further row. */
  readonly differsAt?: { readonly before: JsonValue };
}

/** What fills a view, by the rows of its entries. Only the rows that differ from the view before are looked at. */
export interface ViewFill {
  /**
   * Takes the next view. `sameAtMost`: the number of rows at the beginning that can be the same. Throws `TypeError`
   * if a row is not an entry; then nothing has changed.
   */
  next(rows: readonly JsonValue[], sameAtMost?: number): RowsChange;
  /** The tokens of all entries of the view. */
  readonly sum: number;
  /** Sets tokens of a part besides those of its entries. */
  set(key: string, tokens: number): void;
  /** Returns the tokens of a part in the view. */
  tokensOf(key: string): number;
  /** The parts whose tokens have changed since they were taken last. */
  takeChanged(): readonly string[];
  /** Tokens of content that the view shows more than once. */
  readonly repeated: number;
}

/** The key of a part: its kind, or its handle after `:`. */
function fillKey(name: FillName): string {
  return "handle" in name ? `:${name.handle}` : name.kind;
}

export function viewFill(): ViewFill {
  const fills = new Map<JsonValue, EntryFill>();
  const tokens = new Map<string, number>();
  const others = new Map<string, number>();
  const changed = new Set<string>();
  const contents = new Map<string, Showing[]>();
  let repeated = 0;
  let last: readonly JsonValue[] = [];
  /** The tokens of the rows up to each row, that row included. */
  const sums: number[] = [];

  function fillOf(row: JsonValue): EntryFill {
    return madeOnce(fills, row, () => entryFill(readEntryRow(row)));
  }

  function add({ fills: added, showings }: EntryFill, sign: 1 | -1): void {
    for (const { name, tokens: count } of added) {
      const key = fillKey(name);
      tokens.set(key, (tokens.get(key) ?? 0) + sign * count);
      changed.add(key);
    }
    for (const showing of showings) {
      const shown = contents.get(showing.of) ?? [];
      repeated -= repeatedTokens(shown);
      if (sign === 1) shown.push(showing);
      else shown.splice(shown.indexOf(showing), 1);
      contents.set(showing.of, shown);
      repeated += repeatedTokens(shown);
    }
  }

  return {
    get sum() {
      return sums.at(-1) ?? 0;
    },
    set(key, count) {
      if ((others.get(key) ?? 0) === count) return;
      others.set(key, count);
      changed.add(key);
    },
    tokensOf: (key) => (tokens.get(key) ?? 0) + (others.get(key) ?? 0),
    get repeated() {
      return repeated;
    },
    takeChanged() {
      const taken = [...changed];
      changed.clear();
      return taken;
    },
    next(rows, sameAtMost = Infinity) {
      const shorter = Math.min(rows.length, last.length);
      let start = sameStart(last, rows);
      while (start < shorter && rows[start] === last[start]) start += 1;
      let end = 0;
      while (end < shorter - start && rows.at(-1 - end) === last.at(-1 - end)) end += 1;
      const removed = last.slice(start, last.length - end);
      const added = rows.slice(start, rows.length - end).map((row) => ({ row, fill: fillOf(row) }));
      const sameRows = Math.min(start, sameAtMost);
      const suffix = (sums[last.length - 1] ?? 0) - (sums[last.length - end - 1] ?? 0);
      const resentTokens = sameRows < start ? 0 : suffix + tokensInBoth(removed, added);
      const differing = last[sameRows];
      for (const row of removed) add(fillOf(row), -1);
      for (const { fill } of added) add(fill, 1);
      sums.length = start;
      for (let index = start; index < rows.length; index += 1)
        sums.push((sums[index - 1] ?? 0) + fillOf(rows[index] as JsonValue).tokens);
      last = rows;
      return {
        sameRows,
        sameTokens: sums[sameRows - 1] ?? 0,
        resentTokens,
        ...(differing === undefined ? {} : { differsAt: { before: differing } }),
      };
    },
  };
}

/** Returns the tokens of added rows that are among the removed ones. */
function tokensInBoth(
  removed: readonly JsonValue[],
  added: readonly { readonly row: JsonValue; readonly fill: EntryFill }[],
): number {
  if (removed.length === 0 || added.length === 0) return 0;
  const before = new Map<JsonValue, number>();
  for (const row of removed) before.set(row, (before.get(row) ?? 0) + 1);
  let tokens = 0;
  for (const { row, fill } of added) {
    const count = before.get(row) ?? 0;
    before.set(row, count - 1);
    if (count > 0) tokens += fill.tokens;
  }
  return tokens;
}

/** Returns the tokens of contents of one version that another content of it shows too. */
function repeatedTokens(shown: readonly Showing[]): number {
  if (shown.length < 2) return 0;
  const wholes = shown.filter(({ lines }) => lines === undefined);
  if (wholes.length > 0) {
    const all = shown.reduce((sum, { tokens }) => sum + tokens, 0);
    return all - Math.max(...wholes.map(({ tokens }) => tokens));
  }
  const ranges = shown.flatMap(({ lines, tokens }) =>
    lines === undefined ? [] : [{ ...lines, tokens }],
  );
  let until = 0;
  let repeated = 0;
  for (const { from, to, tokens } of ranges.sort((one, other) => one.from - other.from)) {
    const overlap = Math.max(0, Math.min(to, until) - from + 1);
    repeated += Math.round((tokens * overlap) / Math.max(1, to - from + 1));
    until = Math.max(until, to);
  }
  return repeated;
}
