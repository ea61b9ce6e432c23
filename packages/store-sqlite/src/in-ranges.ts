/** A row that cannot be read. */
export interface UnreadableRow {
  readonly unreadable: number;
  readonly cause: unknown;
}

/** Rows that are read at once. */
const rowsAtOnce = 256;

/**
 * Reads the rows with the keys from `from` to `to`, both included, and continues behind rows that cannot be read. A part
 * that fails is halved until the unreadable rows are alone.
 */
export function* inRanges<Row>(
  from: number,
  to: number,
  read: (from: number, to: number) => readonly Row[],
): Generator<Row | UnreadableRow> {
  for (let start = from; start <= to; start += rowsAtOnce)
    yield* halved(start, Math.min(to, start + rowsAtOnce - 1), read);
}

function* halved<Row>(
  from: number,
  to: number,
  read: (from: number, to: number) => readonly Row[],
): Generator<Row | UnreadableRow> {
  let rows: readonly Row[];
  try {
    rows = read(from, to);
  } catch (cause) {
    if (from === to) {
      yield { unreadable: from, cause };
      return;
    }
    const middle = Math.floor((from + to) / 2);
    yield* halved(from, middle, read);
    yield* halved(middle + 1, to, read);
    return;
  }
  yield* rows;
}
