import type * as evaluate from "@self-context-manager/evaluate";

import { messageOf } from "@self-context-manager/objects";
import { CliError } from "../cli-errors.ts";
import type { CommandCall } from "../command.ts";
import { optionalPackage } from "../optional-package.ts";
import { relative, resolve } from "node:path";

/** Loads the package that evaluates, which is optional: only who evaluates needs it. */
export async function loadEvaluate(needs: string): Promise<typeof evaluate> {
  return await optionalPackage(
    "evaluate",
    needs,
    async () => await import("@self-context-manager/evaluate"),
  );
}

/** Does something of the package. Its errors say what to do, so they are shown as they are. */
export async function evaluating<Result>(
  use: (package_: typeof evaluate) => Promise<Result>,
): Promise<Result> {
  const loaded = await loadEvaluate("scm evaluate");
  try {
    return await use(loaded);
  } catch (error) {
    if (loaded.EvaluateError.is(error)) throw new CliError(error.message, { cause: error });
    const advice = adviceFor(error);
    if (advice === undefined) throw error;
    throw new CliError(`${messageOf(error)}; ${advice}`, { cause: error });
  }
}

/** What a person can do about an error of the file system. */
function adviceFor(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOSPC" || code === "EDQUOT")
    return "make room on the disk, then the same command continues";
  if (
    code === "EACCES" ||
    code === "EPERM" ||
    code === "EROFS" ||
    code === "ENOTDIR" ||
    code === "EISDIR"
  )
    return "choose another folder, or change its permissions";
  return undefined;
}

/** The folder of the results. */
export function resultsFolder(call: CommandCall, given: readonly string[]): string {
  return resolve(call.folder, given[0] ?? "evaluation");
}

/** A path as a person reads it: relative to the current folder if it is below it. */
export function shownPath(call: CommandCall, path: string): string {
  const shown = relative(call.folder, path) || ".";
  return shown.startsWith("..") ? path : shown;
}
