import type { EvaluationHost } from "../model/host.ts";
import type { RunRecord } from "../model/run-record.ts";
import type { Meter } from "../meter/meter.ts";
import type { EvaluatedModel } from "./evaluated-model.ts";
import { type PlannedRun, plannedRuns, type TasksBySeed } from "./make-plan.ts";
import { readRecords, type ResultsFolder } from "./results-folder.ts";
import { runTask } from "./run-task.ts";

export interface RunPlanOptions {
  readonly results: ResultsFolder;
  readonly tasks: TasksBySeed;
  readonly host: EvaluationHost;
  readonly meter: Meter;
  readonly model: EvaluatedModel;
  /** Runs at once. Default: 1. */
  readonly parallel?: number;
  /** Chooses among the runs that are not done. Default: all. */
  readonly choose?: (runs: readonly PlannedRun[]) => readonly PlannedRun[];
  readonly onProgress?: (progress: RunProgress) => void;
  readonly signal?: AbortSignal;
}

export interface RunProgress {
  readonly done: number;
  readonly all: number;
  readonly record: RunRecord;
}

export interface RanPlan {
  readonly records: readonly RunRecord[];
  /** Runs that were not done because the budget was spent. */
  readonly left: number;
}

/** Does the runs of a plan that are not done yet. It stops when the budget is spent. */
export async function runPlan(options: RunPlanOptions): Promise<RanPlan> {
  const { results, meter, parallel = 1, choose = (runs) => runs, onProgress } = options;
  const signal = options.signal ?? new AbortController().signal;
  const waiting = [...choose(await runsLeft(results))];
  const all = waiting.length;
  const records: RunRecord[] = [];
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  const work = async (): Promise<void> => {
    for (;;) {
      ended.throwIfAborted();
      if (meter.isBudgetSpent) return;
      const run = waiting.shift();
      if (run === undefined) return;
      const record = await doRun(run, options, ended);
      if (record.end === "budget") {
        waiting.unshift(run);
        return;
      }
      records.push(record);
      onProgress?.({ done: records.length, all, record });
    }
  };
  const workers = Array.from({ length: Math.max(1, parallel) }, async () => {
    try {
      await work();
    } catch (error) {
      // The other runs end too: what makes one impossible, such as a full disk, usually makes all impossible.
      failed.abort(error);
      throw error;
    }
  });
  const settled = await Promise.allSettled(workers);
  signal.throwIfAborted();
  for (const one of settled) if (one.status === "rejected") throw one.reason;
  return { records, left: waiting.length };
}

/** Returns the runs of a plan that have no result, in their order. */
export async function runsLeft({ folder, plan }: ResultsFolder): Promise<readonly PlannedRun[]> {
  const done = new Set((await readRecords(folder)).map(({ key }) => key));
  return plannedRuns(plan).filter(({ key }) => !done.has(key));
}

async function doRun(
  run: PlannedRun,
  { results, tasks, host, meter, model }: RunPlanOptions,
  signal: AbortSignal,
): Promise<RunRecord> {
  const { seed, task: name } = run.parts;
  const task = tasks.get(seed)?.find((one) => one.name === name);
  if (task === undefined) throw new TypeError(`the plan has the task ${name}, which is not given`);
  await using opened = await model.open({ task, seed, arm: run.arm });
  return await runTask({
    run,
    task,
    host,
    meter,
    model: opened,
    results: results.folder,
    signal,
  });
}
