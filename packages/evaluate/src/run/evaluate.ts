import { defined } from "@self-context-manager/objects";
import { openMeter } from "../meter/meter.ts";
import { EvaluateError } from "../model/evaluate-error.ts";
import type { EvaluationHost } from "../model/host.ts";
import type { Arm } from "../model/arm.ts";
import type { Plan } from "../model/plan.ts";
import { type CostEstimate, estimateCost, pilotRuns } from "./estimate-cost.ts";
import type { EvaluatedModel } from "./evaluated-model.ts";
import { openLedger } from "./ledger.ts";
import { makePlan, type PlannedRun, type TasksBySeed } from "./make-plan.ts";
import { clearLeftoverRuns } from "./leftover-runs.ts";
import { lockResults } from "./results-lock.ts";
import { readResults, type ResultsFolder, writePlan } from "./results-folder.ts";
import { runPlan, type RunProgress, runsLeft } from "./run-plan.ts";

export interface EvaluateOptions {
  /** The folder of the results. */
  readonly out: string;
  readonly arms: readonly Arm[];
  readonly tasks: TasksBySeed;
  readonly host: EvaluationHost;
  readonly model: EvaluatedModel;
  /** The version of the context manager. */
  readonly version: string;
  /** A fraction. Default: 0.05. */
  readonly margin?: number;
  /** Dollars that all sittings together may spend, as a hard stop. Default: no limit. */
  readonly budget?: number;
  /** Runs at once. Default: 1. */
  readonly parallel?: number;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  /** Only writes the plan, with its hash and the time, before any run. */
  readonly preregister?: boolean;
  /** Called with the plan before the first run. */
  readonly onPlan?: (results: ResultsFolder, left: readonly PlannedRun[]) => void;
  /** Decides after the pilot whether the rest is done. Default: it is. */
  readonly confirm?: (estimate: CostEstimate) => Promise<boolean>;
  readonly onProgress?: (progress: RunProgress) => void;
  readonly signal?: AbortSignal;
}

/** How far an evaluation came. */
export interface Evaluated {
  readonly results: ResultsFolder;
  /** Runs of the plan that are not done. */
  readonly left: number;
  /** `budget`: the budget is spent. `refused`: the rest was not confirmed. `preregistered`: only the plan was written. */
  readonly stopped?: "budget" | "refused" | "preregistered";
}

/** Returns the plan of an evaluation. */
export function planOf(options: EvaluateOptions): Plan {
  const { arms, tasks, model, host, version, margin } = options;
  return makePlan({
    arms,
    tasks,
    model: model.name,
    host: `${host.name} ${host.version}`,
    version,
    ...defined({ margin }),
  });
}

/**
 * Writes or continues a plan, and does its runs: first a pilot with a run of each family, then, if its cost is accepted,
 * the rest. Runs that are done already are not done again.
 */
export async function evaluate(options: EvaluateOptions): Promise<Evaluated> {
  const { out, tasks, host, model, budget, parallel, requestsPerMinute, tokensPerMinute } = options;
  const { preregister, onPlan, confirm, onProgress, signal } = options;
  const plan = planOf(options);
  await using _lock = await lockResults(out);
  await clearLeftoverRuns(out);
  const results = await writePlan(
    out,
    plan,
    preregister === true ? { preregistered: new Date().toISOString() } : {},
  );
  const left = await runsLeft(results);
  onPlan?.(results, left);
  if (preregister === true) return { results, left: left.length, stopped: "preregistered" };
  const { spent, write } = await openLedger(out);
  if (budget !== undefined && spent >= budget && left.length > 0)
    throw new EvaluateError(
      "EVALUATE_PLAN",
      `the runs in ${out} have cost ${spent.toFixed(2)} dollars already, and the budget is ${budget.toFixed(2)}; give a larger --budget to go on`,
    );
  await using meter = await openMeter({
    spent,
    spend: write,
    ...defined({ budget, requestsPerMinute, tokensPerMinute }),
  });
  const familyOf = families(plan.tasks);
  const shared = {
    results,
    tasks,
    host,
    meter,
    model,
    ...defined({ parallel, onProgress, signal }),
  };
  const pilot = pilotRuns(left, familyOf);
  if (confirm !== undefined && pilot.length < left.length) {
    const piloted = await runPlan({ ...shared, choose: (runs) => pilotRuns(runs, familyOf) });
    const rest = await runsLeft(results);
    if (piloted.left > 0) return { results, left: rest.length, stopped: "budget" };
    const estimate = estimateCost(rest, (await readResults(out)).records, familyOf);
    if (!(await confirm(estimate))) return { results, left: rest.length, stopped: "refused" };
  }
  const ran = await runPlan(shared);
  return { results, left: ran.left, ...(ran.left > 0 ? { stopped: "budget" } : {}) };
}

function families(
  planned: readonly { readonly name: string; readonly family: string }[],
): (task: string) => string {
  const byName = new Map(planned.map(({ name, family }) => [name, family]));
  return (task) => byName.get(task) ?? "";
}
