import type { RunRecord } from "../model/run-record.ts";
import { type PlannedRun } from "./make-plan.ts";

/**
 * Returns the runs of the pilot: for each family, the first run of the plan that is not done. They are results like any
 * other.
 */
export function pilotRuns(
  runs: readonly PlannedRun[],
  familyOf: (task: string) => string,
): readonly PlannedRun[] {
  const families = new Set<string>();
  return runs.filter(({ parts }) => {
    const family = familyOf(parts.task);
    const isNew = !families.has(family);
    families.add(family);
    return isNew;
  });
}

/** What the rest of an evaluation is expected to cost. */
export interface CostEstimate {
  /** Dollars. Absent: no run of some family has a known price. */
  readonly dollars?: number;
  /** Minutes, if the runs are done one after another. */
  readonly minutes: number;
  readonly runs: number;
}

/** Estimates the runs that are not done by the mean of the runs that are, family by family. */
export function estimateCost(
  left: readonly PlannedRun[],
  done: readonly RunRecord[],
  familyOf: (task: string) => string,
): CostEstimate {
  const costs = left.map(({ parts }) => meanOf(done, familyOf(parts.task)));
  const minutes = costs.reduce((all, one) => all + (one?.seconds ?? 0), 0) / 60;
  const dollars = costs.map((one) => one?.dollars);
  return {
    runs: left.length,
    minutes,
    ...(dollars.every((one) => one !== undefined)
      ? { dollars: dollars.reduce<number>((all, one) => all + one, 0) }
      : {}),
  };
}

function meanOf(
  done: readonly RunRecord[],
  family: string,
): { readonly seconds: number; readonly dollars: number | undefined } | undefined {
  const own = done.filter((record) => record.family === family);
  if (own.length === 0) return undefined;
  const mean = (of: (record: RunRecord) => number): number =>
    own.reduce((all, record) => all + of(record), 0) / own.length;
  const isPriced = own.every(({ figures }) => figures.dollars !== undefined);
  return {
    seconds: mean(({ figures }) => figures.seconds),
    dollars: isPriced ? mean(({ figures }) => figures.dollars ?? 0) : undefined,
  };
}
