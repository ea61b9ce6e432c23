import type { TimelineCall } from "@self-context-manager/core/inspect";
import { type CallRange, columnStart } from "./stack.ts";

/** Two lines of cost in columns: as sent, and append-only. */
export interface CostLines {
  readonly own: Float64Array;
  readonly appendOnly: Float64Array;
}

/** The cost of all calls up to the end of each column. */
export function costSoFar(
  calls: readonly TimelineCall[],
  range: CallRange,
  columns: number,
): CostLines {
  const own = new Float64Array(columns);
  const appendOnly = new Float64Array(columns);
  let [ownSum, appendOnlySum, index] = [0, 0, 0];
  for (let column = 0; column < columns; column++) {
    const end = columnStart(range, columns, column + 1);
    for (; index < end; index++) {
      ownSum += calls[index]?.cost?.units ?? 0;
      appendOnlySum += calls[index]?.cost?.appendOnlyUnits ?? 0;
    }
    own[column] = ownSum;
    appendOnly[column] = appendOnlySum;
  }
  return { own, appendOnly };
}

/** The mean cost of the calls of each column. */
export function costByCall(
  calls: readonly TimelineCall[],
  range: CallRange,
  columns: number,
): CostLines {
  const own = new Float64Array(columns);
  const appendOnly = new Float64Array(columns);
  for (let column = 0; column < columns; column++) {
    const [start, end] = [
      columnStart(range, columns, column),
      columnStart(range, columns, column + 1),
    ];
    for (let index = start; index < end; index++) {
      own[column] = (own[column] ?? 0) + (calls[index]?.cost?.units ?? 0) / (end - start);
      appendOnly[column] =
        (appendOnly[column] ?? 0) + (calls[index]?.cost?.appendOnlyUnits ?? 0) / (end - start);
    }
  }
  return { own, appendOnly };
}
