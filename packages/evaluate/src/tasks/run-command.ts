import { spawn } from "node:child_process";

/** How a command of a check ended. */
export interface CommandEnd {
  /** Absent: it was ended by a signal, by its time limit, or could not be started. */
  readonly code?: number;
  /** The end of its output and its errors, as they came. */
  readonly output: string;
  readonly isLate: boolean;
}

/** Runs a command of a check. Its whole group of processes is ended after the time limit. */
export function runCommand(
  command: readonly [string, ...string[]],
  options: { readonly folder: string; readonly home: string; readonly seconds: number },
): Promise<CommandEnd> {
  const [name, ...args] = command;
  const isPosix = process.platform !== "win32";
  const child = spawn(name === "node" ? process.execPath : name, args, {
    cwd: options.folder,
    env: bareEnvironment(options.home),
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that what it started can be ended with it.
    detached: isPosix,
  });
  let output = "";
  let isLate = false;
  const keep = (chunk: Buffer): void =>
    void (output = (output + chunk.toString()).slice(-keptOutput));
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const end = (): void => {
    if (isPosix && child.pid !== undefined) endGroup(child.pid);
    else child.kill("SIGKILL");
  };
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, options.seconds * 1000);
    child.on("error", (error) => {
      clearTimeout(timer);
      resolve({ output: `${output}\n${error.message}`, isLate });
    });
    // A process that is left over would hold the pipes open.
    child.on("exit", end);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ output, isLate, ...(code !== null && !isLate && { code }) });
    });
  });
}

/** Enough for the summary at the end of a long test run. */
const keptOutput = 200_000;

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended already.
  }
}

/** Nothing of this process's environment but the way to programs: no keys, no settings of test runners. */
function bareEnvironment(home: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    SystemRoot: process.env["SystemRoot"],
    HOME: home,
    USERPROFILE: home,
    TMPDIR: home,
    TEMP: home,
    LANG: "C.UTF-8",
    TZ: "UTC",
    NO_COLOR: "1",
  };
}
