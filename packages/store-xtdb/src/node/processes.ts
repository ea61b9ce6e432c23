import { setTimeout as sleep } from "node:timers/promises";

const roundMilliseconds = 25;
/** Longer than the 10 s after which XTDB's own guard ends a node that is stopping. */
const stopMilliseconds = 12_000;

/** Whether a process lives, also one of another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process of another user exists.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Waits for the end of a process. Returns whether it ended within the time. */
export async function untilGone(pid: number, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(roundMilliseconds);
  }
  return true;
}

/** Asks a process to end, and kills it if it does not. A node can be killed at any moment without loss. */
export async function endProcess(
  pid: number,
  milliseconds: number = stopMilliseconds,
): Promise<void> {
  signal(pid, "SIGTERM");
  if (await untilGone(pid, milliseconds)) return;
  signal(pid, "SIGKILL");
  await untilGone(pid, stopMilliseconds);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // ESRCH means that the process has already ended.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
