import type { Plan, Results } from "../model/plan.ts";
import type { Failure, RunRecord } from "../model/run-record.ts";
import type { TaskFamily } from "../model/task.ts";
import { type AlarmCount, falseAlarms } from "../statistics/false-alarms.ts";
import { armFigures, type ArmFigures, sampler } from "./arm-figures.ts";
import { mainMeasures, type Measure, measures } from "./measures.ts";
import { type ExcludedRun, type MissingRun, sortedRuns } from "./sorted-runs.ts";

/** The figures of an evaluation, as data. Everything that a report shows comes from here. */
export interface EvaluationTable {
  readonly plan: Plan;
  readonly planHash: string;
  readonly preregistered?: string;
  /** Runs of the plan, and the results among them. */
  readonly planned: number;
  readonly results: number;
  /** In the order of the plan; the first is the baseline. */
  readonly arms: readonly ArmFigures[];
  readonly families: readonly FamilyFigures[];
  readonly tasks: readonly TaskFigures[];
  /** The results that are not solved. */
  readonly failures: readonly FailedRun[];
  readonly excluded: readonly ExcludedRun[];
  readonly missing: readonly MissingRun[];
}

interface FamilyFigures {
  readonly family: TaskFamily;
  readonly tasks: number;
  readonly arms: readonly ArmFigures[];
}

export interface TaskFigures {
  readonly name: string;
  readonly family: TaskFamily;
  readonly title: string;
  readonly arms: readonly {
    readonly name: string;
    readonly runs: readonly RunRecord[];
    /** The mean over the runs in which they are known. Absent: they are known in none. */
    readonly dollars?: number;
    readonly calls?: number;
  }[];
}

interface FailedRun {
  readonly record: RunRecord;
  readonly failure: Failure;
}

/**
 * Makes the table of the results of a plan. The same results give the same table, in whatever order the runs are.
 * `samples` is the number of resamples for the intervals; default: 10,000. With a few hundred, the ends of the intervals are
 * so uncertain that 7 of 100 intervals of 95 % miss.
 */
export function evaluationTable(
  results: Results,
  { samples: count }: { readonly samples?: number } = {},
): EvaluationTable {
  const { plan, planHash, preregistered } = results;
  const runs = sortedRuns(results);
  const samples = sampler(count);
  const figures = (
    records: readonly RunRecord[],
    some: readonly Measure[],
  ): readonly ArmFigures[] =>
    plan.arms.map((arm) => armFigures({ arm, plan, records, measures: some, samples }));
  const families = [...new Set(plan.tasks.map(({ family }) => family))];
  return {
    plan,
    planHash,
    ...(preregistered !== undefined && { preregistered }),
    planned: plan.arms.length * plan.tasks.length * plan.seeds.length,
    results: runs.results.length,
    arms: figures(runs.results, measures),
    families: families.map((family) => {
      const names = new Set(
        plan.tasks.filter((task) => task.family === family).map(({ name }) => name),
      );
      const own = runs.results.filter(({ task }) => names.has(task));
      return { family, tasks: names.size, arms: figures(own, mainMeasures) };
    }),
    tasks: taskFigures(plan, runs.results),
    failures: runs.results
      .filter(({ isSolved }) => !isSolved)
      .map((record) => ({ record, failure: record.failure ?? unknownFailure })),
    excluded: runs.excluded,
    missing: runs.missing,
  };
}

/**
 * Counts the false alarms in tables of A/A evaluations: every arm is the same as the baseline, so that each difference
 * that a test reports is one.
 */
export function tableAlarms(tables: readonly EvaluationTable[]): readonly AlarmCount[] {
  const [first] = tables;
  if (first === undefined) return [];
  const comparisons = tables.flatMap(({ arms }) =>
    arms.flatMap(({ comparison }) => comparison ?? []),
  );
  return falseAlarms(comparisons, first.plan.confidence);
}

const unknownFailure: Failure = { kind: "other", evidence: "no reason was recorded" };

function taskFigures(plan: Plan, records: readonly RunRecord[]): readonly TaskFigures[] {
  const byTask = Map.groupBy(records, ({ task }) => task);
  return plan.tasks.map(({ name, family, title }) => ({
    name,
    family,
    title,
    arms: plan.arms.map((arm) => {
      const runs = (byTask.get(name) ?? []).filter((record) => record.arm === arm.name);
      const dollars = meanOf(runs.flatMap(({ figures }) => figures.dollars ?? []));
      const calls = meanOf(runs.map(({ figures }) => figures.calls));
      return {
        name: arm.name,
        runs,
        ...(dollars !== undefined && { dollars }),
        ...(calls !== undefined && { calls }),
      };
    }),
  }));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function meanOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : sumOf(values) / values.length;
}
