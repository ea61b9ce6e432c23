import { runCli } from "@self-context-manager/cli";
import { join } from "node:path";

import { piInstallation } from "../pi-versions.ts";
import { releaseOf } from "./pi-demo-host.ts";

/** Tasks of a few turns, so that a model costs little. */
const shortTasks = "coding/text-wrapping,coding/plan-limits,interference/equal-names";

/** Enough for a large model with its usual prices. */
const usualBudget = "2";

export interface ModelRunOptions {
  /** `provider/id` as Pi names the model, or `forgetful`, a model for tests. */
  readonly model: string;
  /** A release of Pi. Default: the newest one. */
  readonly pi?: string | undefined;
  /** The folder of the results. Default: one of the model in `.demo/evaluation`. */
  readonly at?: string | undefined;
  /** Dollars, or `off` for a model whose prices are not known. Default: 2. */
  readonly budget?: string | undefined;
}

/** Compares plain Pi with managed context on short tasks: a short form of `scm evaluate run`. Returns its exit code. */
export async function runModel({ model, pi, at, budget }: ModelRunOptions): Promise<number> {
  const release = piInstallation(releaseOf(pi));
  const folder = at ?? join(".demo", "evaluation", model.replaceAll(/[^\w.-]/gu, "-"));
  const limit = budget ?? usualBudget;
  const what = [`--model=${model}`, "--arms=plain,default", `--tasks=${shortTasks}`, "--yes"];
  const most = limit === "off" ? [] : [`--budget=${limit}`];
  const host = `--host-path=${release.packageFolder}`;
  return await runCli(["evaluate", "run", folder, ...what, ...most, host], {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY,
    stdoutIsTerminal: process.stdout.isTTY,
  });
}
