import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";

import { piInstallation } from "./pi-versions.ts";
import type { PiVersion } from "./pi-versions.ts";
import type { PiWorkspace } from "./pi-workspace.ts";

export interface PiProcessOptions {
  readonly pi: PiVersion;
  readonly workspace: PiWorkspace;
  readonly environment?: Readonly<Record<string, string>>;
  /** The Node that runs Pi. Default: the one that runs the tests. */
  readonly node?: string;
  /** The time in milliseconds after which the process is ended and the driver rejects. */
  readonly deadlineMs?: number;
}

export interface PiLaunchOptions extends PiProcessOptions {
  /** Files or package folders, each loaded as with `-e`. */
  readonly extensions?: readonly string[];
  /** Whether the extensions in the agent folder are loaded too. Default: false. */
  readonly discovery?: boolean;
  /** Further arguments of Pi's command line. */
  readonly arguments?: readonly string[];
}

/** How a Pi process ended. */
export interface PiExit {
  readonly stdout: string;
  readonly stderr: string;
  /** `undefined` when a signal ended it. */
  readonly exitCode: number | undefined;
  /** The session that was written last, if any was. */
  readonly sessionFile: string | undefined;
}

export interface PiProcess extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  /** Returns the text of standard error up to now, for error messages. */
  stderr(): string;
  /** Resolves when the process has ended and its output has been read. Rejects after the deadline. */
  readonly exited: Promise<PiExit>;
  /** Ends the process and its child processes with SIGKILL. */
  kill(): void;
}

/**
 * Starts a Pi process in its workspace. Disposal ends this process and its child processes by their process group.
 */
export const openPiProcess = (
  options: PiProcessOptions & { readonly commandLine: readonly string[] },
): PiProcess => {
  const { workspace, deadlineMs = 120_000 } = options;
  const commandLine = [piInstallation(options.pi).cli, ...options.commandLine];
  const child = spawn(options.node ?? process.execPath, commandLine, {
    cwd: workspace.workFolder,
    // A separate process group, so that the commands that Pi runs are ended with it.
    detached: true,
    env: { ...workspace.environment, ...options.environment },
    stdio: "pipe",
  });
  // A write to a process that has just ended is reported by its exit, not by the pipe.
  child.stdin.on("error", () => undefined);

  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (stdout += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (stderr += piece));

  const closed = new Promise<number | undefined>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? undefined));
  });
  const end = async (): Promise<void> => {
    const killTimer = setTimeout(() => signalGroup(child.pid, "SIGKILL"), 2_000);
    signalGroup(child.pid, "SIGTERM");
    await closed.catch(() => undefined); // A process that never started has nothing to end.
    clearTimeout(killTimer);
  };

  const exit = async (): Promise<PiExit> => {
    const { promise: expired, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const said = stderr.slice(-2_000) || stdout.slice(-2_000);
      reject(new Error(`Pi ${options.pi.version} did not end in ${deadlineMs} ms: ${said}`));
    }, deadlineMs);
    try {
      const exitCode = await Promise.race([closed, expired]);
      const sessionFile = (await workspace.sessionFiles()).at(-1);
      return { stdout, stderr, exitCode, sessionFile };
    } finally {
      clearTimeout(timer);
      await end();
    }
  };
  const exited = exit();
  // After an early disposal nobody awaits the exit. Its rejection must not end the run.
  exited.catch(() => undefined);

  const kill = (): void => signalGroup(child.pid, "SIGKILL");
  return { child, stderr: () => stderr, exited, kill, [Symbol.asyncDispose]: end };
};

/**
 * Returns the arguments of a session: the given extensions and the scripted model, without other resources of the
 * machine.
 */
export const sessionArguments = (options: PiLaunchOptions): readonly string[] => [
  ...(options.discovery === true ? [] : ["--no-extensions"]),
  "--no-skills",
  "--no-prompt-templates",
  "--no-themes",
  "--no-context-files",
  ...(options.extensions ?? []).flatMap((path) => ["-e", path]),
  "--model",
  `${options.workspace.model.provider}/${options.workspace.model.id}`,
  ...(options.arguments ?? []),
];

export const signalGroup = (pid: number | undefined, signal: NodeJS.Signals): void => {
  if (pid === undefined) {
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // The group has already ended, as intended.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) {
      throw error;
    }
  }
};
