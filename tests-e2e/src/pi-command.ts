import { openPiProcess } from "./pi-process.ts";
import type { PiExit, PiProcessOptions } from "./pi-process.ts";

export interface PiCommandOptions extends PiProcessOptions {
  /** For example `["install", folder]`. */
  readonly arguments: readonly string[];
}

/** Runs one of Pi's own commands, such as `pi install`, in the workspace's home. */
export const piCommand = async (options: PiCommandOptions): Promise<PiExit> => {
  await using process = openPiProcess({ ...options, commandLine: options.arguments });
  process.child.stdin.end();
  return await process.exited;
};
