import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";

import { endLeftover, endProcess } from "./leftover-processes.ts";

export interface HostProcessOptions {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly folder: string;
  /** The whole environment. Nothing of the user's environment is added. `HOME` is a folder of this run alone. */
  readonly environment: Readonly<Record<string, string>>;
  /** The file to which standard error is appended. */
  readonly errorFile: string;
}

/** A process of a host, in a process group of its own. Disposal ends the group and all processes with the same home. */
export interface HostProcess extends AsyncDisposable {
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves when the process has ended: with `exit code 1`, with a signal, or with the reason why it did not start. */
  readonly ended: Promise<string>;
  /** Returns the last lines of standard error, for error messages. */
  readonly complaints: () => Promise<string>;
  /** Ends the group at once. */
  readonly kill: () => void;
}

/** How long a process has for an orderly end. */
const endMs = 2_000;

/** The most characters of standard error that an error message quotes. */
const quoted = 2_000;

/** Starts a process of a host. */
export function openHostProcess(options: HostProcessOptions): HostProcess {
  const { errorFile } = options;
  const errors = openSync(errorFile, "a");
  const child = spawned(options, errors);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new TypeError("the process has no pipes");
  // A write to a process that has just ended is reported by its end, not by the pipe.
  stdin.on("error", () => undefined);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  return {
    input: stdin,
    output: stdout,
    ended,
    complaints: async () => (await readFile(errorFile, "utf8")).trim().slice(-quoted),
    kill: () => signalGroup(child.pid, "SIGKILL"),
    [Symbol.asyncDispose]: async () => {
      const timer = setTimeout(() => signalGroup(child.pid, "SIGKILL"), endMs);
      signalGroup(child.pid, "SIGTERM");
      await ended;
      clearTimeout(timer);
      signalGroup(child.pid, "SIGKILL");
      const { HOME } = options.environment;
      if (HOME !== undefined) endLeftover(HOME);
    },
  };
}

function spawned(options: HostProcessOptions, errors: number): ChildProcess {
  try {
    return spawn(options.command, options.arguments, {
      cwd: options.folder,
      // The commands that the agent runs are in the same group and end with it.
      detached: true,
      env: options.environment,
      stdio: ["pipe", "pipe", errors],
    });
  } finally {
    closeSync(errors);
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid !== undefined) endProcess(-pid, signal);
}
