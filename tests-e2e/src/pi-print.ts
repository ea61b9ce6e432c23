import { openPiProcess, sessionArguments } from "./pi-process.ts";
import type { PiExit, PiLaunchOptions } from "./pi-process.ts";

export interface PiPrintOptions extends PiLaunchOptions {
  readonly prompt: string;
}

/** Runs one prompt with `pi -p` until the process ends. */
export const piPrint = async (options: PiPrintOptions): Promise<PiExit> => {
  await using process = openPiProcess({
    ...options,
    commandLine: [...sessionArguments(options), "-p", options.prompt],
  });
  // Pi reads its standard input as part of the prompt and waits for its end.
  process.child.stdin.end();
  return await process.exited;
};
