import { readdirSync, readFileSync } from "node:fs";

/**
 * Ends all processes whose environment has `HOME` with this value. A server that an agent left in the background has its own
 * process group and no parent of the run, but it keeps the environment. Needs `/proc`; without it nothing is ended.
 */
export function endLeftover(home: string): void {
  const entry = `HOME=${home}`;
  for (const pid of processIds()) {
    if (environmentOf(pid).includes(entry)) endProcess(pid, "SIGKILL");
  }
}

/** Sends a signal to a process, or with a negative number to a process group. One that has ended is not an error. */
export function endProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function processIds(): readonly number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/u.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid);
  } catch {
    // Not Linux: only the process group is ended.
    return [];
  }
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // It has ended, or it is a process of another user.
    return [];
  }
}
