import { armHash } from "../arms/arm-hash.ts";
import type { Plan, Results } from "../model/plan.ts";
import type { RunRecord } from "../model/run-record.ts";

/** A run that was done and is no result. */
export interface ExcludedRun {
  readonly record: RunRecord;
  readonly reason: string;
}

/** A run of the plan without a result. */
export interface MissingRun {
  readonly arm: string;
  readonly task: string;
  readonly seed: number;
}

export interface SortedRuns {
  /** The results, in the order of the plan. */
  readonly results: readonly RunRecord[];
  readonly excluded: readonly ExcludedRun[];
  readonly missing: readonly MissingRun[];
}

/** Separates results from runs that are none, and finds the runs of the plan that have no result. */
export function sortedRuns({ plan, records }: Results): SortedRuns {
  const found = new Map<string, RunRecord>();
  const excluded: ExcludedRun[] = [];
  for (const record of records) {
    const place = placeOf(record);
    const reason = found.has(place)
      ? "a second result for the same arm, task and seed"
      : exclusionReason(plan, record);
    if (reason === undefined) found.set(place, record);
    else excluded.push({ record, reason });
  }
  const places = plan.tasks.flatMap((task) =>
    plan.seeds.flatMap((seed) =>
      plan.arms.map((arm): MissingRun => ({ arm: arm.name, task: task.name, seed })),
    ),
  );
  return {
    results: places.flatMap((place) => found.get(placeOf(place)) ?? []),
    excluded,
    missing: places.filter((place) => !found.has(placeOf(place))),
  };
}

function placeOf({ arm, task, seed }: MissingRun): string {
  return JSON.stringify([arm, task, seed]);
}

/** Why a run is no result of the plan; undefined if it is one. */
function exclusionReason(plan: Plan, record: RunRecord): string | undefined {
  const task = plan.tasks.find(({ name }) => name === record.task);
  const arm = plan.arms.find(({ name }) => name === record.arm);
  if (arm === undefined) return "its arm is not in the plan";
  if (armHash(arm) !== record.armHash)
    return "its arm is not the one that the plan has: the hashes differ";
  if (task === undefined) return "its task is not in the plan";
  if (!plan.seeds.includes(record.seed)) return "its seed is not in the plan";
  if (task.hashes[String(record.seed)] !== record.taskHash)
    return "its task is not the one that the plan has: the hashes differ";
  for (const part of ["model", "host", "protocol", "version"] as const)
    if (plan[part] !== record[part])
      return `its ${part} is ${String(record[part])}, and the plan has ${String(plan[part])}`;
  if (record.end === "budget") return "the budget was spent before it ended";
  const [fault, ...more] = record.faults;
  if (fault === undefined) return undefined;
  return more.length === 0 ? fault : `${fault} (and ${more.length} more)`;
}
