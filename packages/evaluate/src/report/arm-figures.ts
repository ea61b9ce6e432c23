import type { Arm } from "../model/arm.ts";
import type { Plan } from "../model/plan.ts";
import type { FailureKind, RunRecord } from "../model/run-record.ts";
import {
  type RatioEstimate,
  ratioOfSums,
  type Resamples,
  resamplesOf,
} from "../statistics/bootstrap.ts";
import {
  type Comparison,
  comparePairs,
  groupOf,
  type Outcome,
  type OutcomePair,
} from "../statistics/compare-pairs.ts";
import { designEffect } from "../statistics/design-effect.ts";
import { type HalfSamples, halfSamplesOf } from "../statistics/half-samples.ts";
import type { Estimate } from "../statistics/interval.ts";
import { wilsonInterval } from "../statistics/wilson-interval.ts";
import type { Measure, MeasureName } from "./measures.ts";

/** The figures of one arm over its results. */
export interface ArmFigures {
  readonly name: string;
  readonly title: string;
  readonly isManaged: boolean;
  readonly isBaseline: boolean;
  readonly runs: number;
  readonly solved: number;
  /** The share of solved runs. Absent: there are no runs. */
  readonly solvedShare?: Estimate;
  /** Sums over the runs in which they are known. */
  readonly sums: Readonly<Partial<Record<MeasureName, number>>>;
  /** Means over the runs in which they are known. */
  readonly means: Readonly<Partial<Record<MeasureName, RatioEstimate>>>;
  readonly facts: FactFigures;
  readonly failures: Readonly<Partial<Record<FailureKind, number>>>;
  /** Calls of the context tools by name. */
  readonly contextTools: Readonly<Record<string, number>>;
  /** Absent for the baseline. */
  readonly comparison?: Comparison;
}

/** Facts at prompts that need them. */
interface FactFigures {
  readonly needed: number;
  readonly later: number;
  readonly never: number;
  readonly stale: number;
  readonly neverShare?: Estimate;
  readonly staleShare?: Estimate;
}

/** Makes the samples for a number of tasks once. */
export interface Sampler {
  readonly resamples: (tasks: number) => Resamples;
  readonly halfSamples: (tasks: number) => HalfSamples;
}

/** Makes a sampler, for all figures of one table. */
export function sampler(count: number | undefined): Sampler {
  const options = count === undefined ? {} : { count };
  return {
    resamples: once((tasks) => resamplesOf(tasks, options)),
    halfSamples: once((tasks) => halfSamplesOf(tasks, options)),
  };
}

function once<Value>(make: (key: number) => Value): (key: number) => Value {
  const made = new Map<number, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

export interface ArmQuestion {
  readonly arm: Arm;
  readonly plan: Plan;
  /** The results of all arms. */
  readonly records: readonly RunRecord[];
  readonly measures: readonly Measure[];
  readonly samples: Sampler;
}

/** Computes the figures of one arm, compared with the baseline. */
export function armFigures(question: ArmQuestion): ArmFigures {
  const { arm, plan, records, samples } = question;
  const { confidence } = plan;
  const own = records.filter((record) => record.arm === arm.name);
  const byTask = [...Map.groupBy(own, ({ task }) => task).values()];
  const solved = own.filter(({ isSolved }) => isSolved).length;
  const solvedShare = wilsonInterval(solved, own.length, {
    confidence,
    designEffect: designEffect(byTask.map((runs) => groupOf(runs.map((run) => +run.isSolved)))),
  });
  const isBaseline = arm.name === plan.arms[0]?.name;
  const sums: Partial<Record<MeasureName, number>> = {};
  const means: Partial<Record<MeasureName, RatioEstimate>> = {};
  for (const measure of question.measures) {
    const parts = byTask.flatMap((runs) => {
      const known = runs.flatMap((run) => measure.of(run) ?? []);
      return known.length === 0 ? [] : [{ over: sumOf(known), under: known.length }];
    });
    if (parts.length === 0) continue;
    const mean = ratioOfSums(parts, samples.resamples(parts.length), confidence);
    sums[measure.name] = sumOf(parts.map(({ over }) => over));
    if (mean !== undefined) means[measure.name] = mean;
  }
  return {
    name: arm.name,
    title: arm.title,
    isManaged: arm.isManaged,
    isBaseline,
    runs: own.length,
    solved,
    ...(solvedShare !== undefined && { solvedShare }),
    sums,
    means,
    facts: factFigures(byTask, confidence),
    failures: countsOf(
      own.flatMap(({ isSolved, failure }) => (isSolved ? [] : [failure?.kind ?? "other"])),
    ),
    contextTools: addedCounts(own.map(({ figures }) => figures.contextTools)),
    ...(!isBaseline && { comparison: armComparison(question) }),
  };
}

function armComparison({ arm, plan, records, measures: some, samples }: ArmQuestion): Comparison {
  return comparePairs(
    pairsOf(records, { arm: arm.name, baseline: plan.arms[0]?.name ?? "", some }),
    {
      confidence: plan.confidence,
      margin: plan.margin,
      amounts: some.map(({ name }) => name),
      halfSamples: samples.halfSamples,
    },
  );
}

/** The pairs of an arm and the baseline: tasks and seeds of which both runs are results. */
function pairsOf(
  records: readonly RunRecord[],
  names: { readonly arm: string; readonly baseline: string; readonly some: readonly Measure[] },
): readonly OutcomePair[] {
  const baselines = new Map(
    records.filter(({ arm }) => arm === names.baseline).map((run) => [placeOf(run), run]),
  );
  return records.flatMap((run) => {
    const baseline = baselines.get(placeOf(run));
    if (run.arm !== names.arm || baseline === undefined) return [];
    return [
      {
        task: run.task,
        arm: outcomeOf(run, names.some),
        baseline: outcomeOf(baseline, names.some),
      },
    ];
  });
}

function placeOf({ task, seed }: RunRecord): string {
  return JSON.stringify([task, seed]);
}

function outcomeOf(record: RunRecord, some: readonly Measure[]): Outcome {
  return {
    isSolved: record.isSolved,
    amounts: Object.fromEntries(some.map((measure) => [measure.name, measure.of(record)])),
  };
}

function factFigures(byTask: readonly (readonly RunRecord[])[], confidence: number): FactFigures {
  const tasks = byTask.map((runs) => runs.flatMap(({ facts }) => facts));
  const all = tasks.flat();
  const share = (isCounted: (fact: (typeof all)[number]) => boolean): Estimate | undefined =>
    wilsonInterval(all.filter(isCounted).length, all.length, {
      confidence,
      designEffect: designEffect(
        tasks.map((facts) => groupOf(facts.map((fact) => +isCounted(fact)))),
      ),
    });
  const neverShare = share(({ seen }) => seen === "never");
  const staleShare = share(({ isStale }) => isStale);
  return {
    needed: all.length,
    later: all.filter(({ seen }) => seen === "later").length,
    never: all.filter(({ seen }) => seen === "never").length,
    stale: all.filter(({ isStale }) => isStale).length,
    ...(neverShare !== undefined && { neverShare }),
    ...(staleShare !== undefined && { staleShare }),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function countsOf<Name extends string>(names: readonly Name[]): Partial<Record<Name, number>> {
  const counts: Partial<Record<Name, number>> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Names come from runs, so that one could be `__proto__`: a list of entries makes each a field of its own. */
function addedCounts(
  records: readonly Readonly<Record<string, number>>[],
): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const [name, count] of records.flatMap((record) => Object.entries(record)))
    sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
