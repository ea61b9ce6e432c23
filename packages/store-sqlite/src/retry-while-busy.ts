import { setTimeout as delay } from "node:timers/promises";

import { isBusy } from "./sqlite-errors.ts";

/**
 * Tries until another process lets go of the database, or the time is over. Between two tries other work goes on,
 * which a wait inside SQLite would not let it.
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
    // Unequal pauses, so that two processes do not meet again and again.
    await delay(1 + Math.random() * 15);
  }
}
