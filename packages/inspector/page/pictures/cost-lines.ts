import type { TimelineCall } from "@self-context-manager/core/inspect";
import { billedOf } from "../figures/billed.ts";
import { type CallRange, columnStart } from "./stack.ts";

/** Two lines of cost in columns: as sent, and in the plain host. */
export interface CostLines {
  readonly own: Float64Array;
  readonly plain: Float64Array;
  /** 1 for a column in which the provider reported the cost of each call, as far as calls have a cost; else 0. */
  readonly isReported: Uint8Array;
}

function emptyLines(columns: number): CostLines {
  return {
    own: new Float64Array(columns),
    plain: new Float64Array(columns),
    isReported: new Uint8Array(columns).fill(1),
  };
}

/** The cost of all calls up to the end of each column: as reported, or else as estimated. */
export function costSoFar(
  calls: readonly TimelineCall[],
  range: CallRange,
  columns: number,
): CostLines {
  const lines = emptyLines(columns);
  let [ownSum, plainSum, index] = [0, 0, 0];
  for (let column = 0; column < columns; column++) {
    const [start, end] = [
      columnStart(range, columns, column),
      columnStart(range, columns, column + 1),
    ];
    for (; index < end; index++) {
      const call = calls[index];
      const billed = call === undefined ? undefined : billedOf(call);
      ownSum += billed?.units ?? 0;
      plainSum += call?.cost?.plainUnits ?? 0;
      if (index >= start && billed?.isReported === false) lines.isReported[column] = 0;
    }
    lines.own[column] = ownSum;
    lines.plain[column] = plainSum;
  }
  return lines;
}

/** The mean cost of the calls of each column: as reported, or else as estimated. */
export function costByCall(
  calls: readonly TimelineCall[],
  range: CallRange,
  columns: number,
): CostLines {
  const lines = emptyLines(columns);
  for (let column = 0; column < columns; column++) {
    const [start, end] = [
      columnStart(range, columns, column),
      columnStart(range, columns, column + 1),
    ];
    let [own, plain] = [0, 0];
    for (const call of calls.slice(start, end)) {
      const billed = billedOf(call);
      own += billed?.units ?? 0;
      plain += call.cost?.plainUnits ?? 0;
      if (billed?.isReported === false) lines.isReported[column] = 0;
    }
    lines.own[column] = own / (end - start);
    lines.plain[column] = plain / (end - start);
  }
  return lines;
}
