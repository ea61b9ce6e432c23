import { setTimeout as sleep } from "node:timers/promises";

const roundMilliseconds = 25;
/** XTDB's own guard ends it after 10 s. */
const stopMilliseconds = 12_000;

/** Whether a process lives, ours or another's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // That it is another user's says that it is there.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Whether a process has gone within a time. */
export async function untilGone(pid: number, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(roundMilliseconds);
  }
  return true;
}

/** Asks a process to end, and ends it where it does not. A node can be killed at any moment without loss. */
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
    // It has gone by itself.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
