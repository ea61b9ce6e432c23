import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

import { endProcess } from "./leftover-processes.ts";

/** Where commands of an agent run. */
export interface CommandPlace {
  readonly folder: string;
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface CommandResult {
  /** Standard output and standard error, as they came. */
  readonly output: string;
  /** Why the command failed. Absent: it ended with the exit code 0. */
  readonly end?: string;
}

/** The most characters that are kept. A command can print without an end. */
const most = 200_000;

/** How long the output of a command is read after its end: what it left in the background can hold the pipe open. */
const restMs = 100;

/** Runs a command with bash. An aborted signal or the time limit ends it and what it started. */
export async function runCommand(
  command: string,
  { folder, environment }: CommandPlace,
  limits: { readonly seconds: number | undefined; readonly signal: AbortSignal | undefined },
): Promise<CommandResult> {
  const child = spawn("bash", ["-c", command], {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const add = (piece: string): void => void (output = `${output}${piece}`.slice(-most));
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", add);

  let reason: string | undefined;
  const end = (why: string): void => {
    reason ??= why;
    if (child.pid !== undefined) endProcess(-child.pid, "SIGKILL");
  };
  const { seconds, signal } = limits;
  const late = (): void => end(`Command timed out after ${seconds} seconds`);
  const aborted = (): void => end("Command aborted");
  const timer = seconds === undefined ? undefined : setTimeout(late, seconds * 1_000);
  signal?.addEventListener("abort", aborted, { once: true });
  if (signal?.aborted === true) aborted();
  const closed = once(child, "close");
  // If bash cannot be started, the end rejects too, and says why.
  closed.catch(() => undefined);
  try {
    const [code] = await once(child, "exit");
    await Promise.race([closed, delay(restMs, undefined, { ref: false })]);
    const failure =
      reason ?? (code === 0 ? undefined : `Command exited with code ${code ?? "none"}`);
    return failure === undefined ? { output } : { output, end: failure };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", aborted);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
