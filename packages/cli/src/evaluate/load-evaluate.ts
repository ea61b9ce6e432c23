import type * as evaluate from "@self-context-manager/evaluate";

import { CliError } from "../cli-errors.ts";
import type { CommandCall } from "../command.ts";
import { resolve } from "node:path";

/** Loads the package that evaluates, which is optional: only who evaluates needs it. */
async function loadEvaluate(): Promise<typeof evaluate> {
  try {
    return await import("@self-context-manager/evaluate");
  } catch (cause) {
    const isMissing =
      cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw cause;
    throw new CliError(
      "scm evaluate needs the package @self-context-manager/evaluate, which is not installed; install it beside the command: npm install --global @self-context-manager/evaluate",
      { cause },
    );
  }
}

/** Does something of the package. Its errors say what to do, so they are shown as they are. */
export async function evaluating<Result>(
  use: (package_: typeof evaluate) => Promise<Result>,
): Promise<Result> {
  const loaded = await loadEvaluate();
  try {
    return await use(loaded);
  } catch (error) {
    if (!loaded.EvaluateError.is(error)) throw error;
    throw new CliError(error.message, { cause: error });
  }
}

/** The folder of the results. */
export function resultsFolder(call: CommandCall, given: readonly string[]): string {
  return resolve(call.folder, given[0] ?? "evaluation");
}
