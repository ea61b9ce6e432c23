import { type JsonValue, toJson } from "@self-context-manager/objects";

import { hasInterval, type RatioEstimate } from "../statistics/bootstrap.ts";
import type { Comparison } from "../statistics/compare-pairs.ts";
import type { Estimate } from "../statistics/interval.ts";
import type { ArmFigures } from "./arm-figures.ts";
import type { EvaluationTable } from "./evaluation-table.ts";
import { measures } from "./measures.ts";

/** A figure with its interval. The bounds are null if there are too few tasks for an interval. */
interface EstimateJson {
  readonly value: number;
  readonly lower: number | null;
  readonly upper: number | null;
}

/** Fields are only added; another meaning of a field raises the version. */
const version = 1;

/**
 * The table as an object for programs. All shares and differences of shares are fractions, money is in dollars, time in
 * seconds; numbers have 6 significant digits. What is unknown is null.
 *
 * - `plan`, `planHash`, `preregistered`: as in the results.
 * - `runs`: the numbers of `planned`, `results`, `excluded` and `missing` runs.
 * - `arms`: by arm `solved` of `runs`, `solvedShare`, `measures` (each with `sum` and `mean` of a run, and `ratio`, the sum
 *   over that of the baseline by pairs), `facts`, `failures` by kind, `contextTools` by name, and `comparison`.
 * - `comparison`: null for the baseline; the counts of pairs (`both`, `onlyArm`, `onlyBaseline`, `neither`), `difference`
 *   of the solved shares, `p` of McNemar's exact test, `nonInferiority` (`shown`, `not-shown` or `worse`), `discordance`,
 *   `designEffect`, and `pairsNeeded` for a power of 80 %.
 * - `families`: the same for the tasks of each family, with three measures.
 * - `tasks`: by task and arm the numbers of runs and of solved ones, and the means of dollars and calls.
 * - `failures`, `excluded`, `missing`: the runs, with the reason.
 */
export function evaluationJson(table: EvaluationTable): JsonValue {
  const { plan, planHash, preregistered, planned, results, excluded, missing } = table;
  return rounded(
    toJson({
      format: "scm-evaluation",
      version,
      plan,
      planHash,
      preregistered: preregistered ?? null,
      runs: { planned, results, excluded: excluded.length, missing: missing.length },
      arms: table.arms.map(armJson),
      families: table.families.map(({ family, tasks, arms }) => ({
        family,
        tasks,
        arms: arms.map(armJson),
      })),
      tasks: table.tasks.map(({ name, family, title, arms }) => ({
        name,
        family,
        title,
        arms: arms.map((arm) => ({
          name: arm.name,
          runs: arm.runs.length,
          solved: arm.runs.filter(({ isSolved }) => isSolved).length,
          dollars: arm.dollars ?? null,
          calls: arm.calls ?? null,
        })),
      })),
      failures: table.failures.map(({ record: { key, arm, task, seed }, failure }) => ({
        key,
        arm,
        task,
        seed,
        kind: failure.kind,
        step: failure.step ?? null,
        evidence: failure.evidence,
      })),
      excluded: excluded.map(({ record: { key, arm, task, seed }, reason }) => ({
        key,
        arm,
        task,
        seed,
        reason,
      })),
      missing,
    }),
  );
}

function armJson(arm: ArmFigures): object {
  const { name, title, isManaged, isBaseline, runs, solved, facts } = arm;
  const shown = measures.filter((measure) => arm.sums[measure.name] !== undefined);
  return {
    name,
    title,
    isManaged,
    isBaseline,
    runs,
    solved,
    solvedShare: estimateJson(arm.solvedShare),
    measures: Object.fromEntries(
      shown.map((measure) => [
        measure.name,
        {
          sum: arm.sums[measure.name] ?? null,
          mean: estimateJson(arm.means[measure.name]),
          ratio: estimateJson(arm.comparison?.ratios[measure.name]),
        },
      ]),
    ),
    facts: {
      needed: facts.needed,
      later: facts.later,
      never: facts.never,
      stale: facts.stale,
      neverShare: estimateJson(facts.neverShare),
      staleShare: estimateJson(facts.staleShare),
    },
    failures: arm.failures,
    contextTools: arm.contextTools,
    comparison: arm.comparison === undefined ? null : comparisonJson(arm.comparison),
  };
}

function comparisonJson(comparison: Comparison): object {
  const { pairs, tasks, both, onlyArm, onlyBaseline, neither, p, designEffect } = comparison;
  return {
    pairs,
    tasks,
    both,
    onlyArm,
    onlyBaseline,
    neither,
    difference: estimateJson(comparison.difference),
    p,
    nonInferiority: comparison.nonInferiority ?? null,
    discordance: estimateJson(comparison.discordance),
    designEffect,
    pairsNeeded: estimateJson(comparison.pairsNeeded),
  };
}

function estimateJson(estimate: Estimate | RatioEstimate | undefined): EstimateJson | null {
  if (estimate === undefined) return null;
  return hasInterval(estimate)
    ? { value: estimate.value, lower: estimate.lower, upper: estimate.upper }
    : { value: estimate.value, lower: null, upper: null };
}

/** The last digits of logarithms differ between machines, so that they are left out. */
function rounded(value: JsonValue): JsonValue {
  if (typeof value === "number")
    return Number.isInteger(value) ? value : Number(value.toPrecision(6));
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => rounded(item));
  return Object.fromEntries(
    Object.entries(value).map(([field, item]) => [field, rounded(item ?? null)]),
  );
}
