import {
  evaluate,
  type EvaluateOptions,
  findArms,
  findTasks,
  openHost,
  ownVersion,
  readResults,
  type Results,
  type RunRecord,
  testModel,
} from "@self-context-manager/evaluate";

import { piInstallation, piVersions } from "../pi-versions.ts";

export interface EvaluateArmsOptions {
  /** The folder of the results. */
  readonly out: string;
  readonly arms: readonly string[];
  /** Names or families of own tasks, or `all`. */
  readonly tasks: readonly string[];
  /** Default: 2, for a machine of two cores. */
  readonly parallel?: number;
  readonly onProgress?: EvaluateOptions["onProgress"];
}

/** Does the runs of some arms and own tasks of seed 1 in the newest Pi, with the forgetful model. */
export async function evaluateArms(options: EvaluateArmsOptions): Promise<Results> {
  const { out, arms, tasks, parallel = 2, onProgress } = options;
  const pi = piVersions.at(-1);
  if (pi === undefined) throw new RangeError("no release of Pi is installed");
  await evaluate({
    out,
    arms: findArms(arms),
    tasks: new Map([[1, findTasks(tasks, 1)]]),
    host: await openHost("pi", { path: piInstallation(pi).packageFolder }),
    model: testModel("forgetful"),
    version: await ownVersion(),
    parallel,
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  return await readResults(out);
}

/** Returns what a repetition of the same runs has too: everything but their times. */
export function lastingResults({
  records,
}: Results): readonly Pick<RunRecord, "key" | "task" | "arm">[] {
  return records
    .map(({ began: _began, figures: { seconds: _seconds, ...figures }, ...record }) => ({
      ...record,
      figures,
    }))
    .toSorted((one, other) => one.key.localeCompare(other.key));
}
