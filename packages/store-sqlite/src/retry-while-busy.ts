import { setTimeout as delay } from "node:timers/promises";

import { isBusy } from "./sqlite-errors.ts";

/**
 * Repeats an attempt while another process keeps the database locked, until the timeout in milliseconds has passed. The
 * event loop runs between two attempts; a wait inside SQLite would block it.
 */
export async function retryWhileBusy<Result>(
  timeout: number,
  attempt: () => Result,
): Promise<Result> {
  const start = performance.now();
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() - start > timeout) throw error;
    }
    // Random pauses, so that two processes do not collide again and again.
    await delay(1 + Math.random() * 15);
  }
}
