import type { Patience } from "@self-context-manager/objects";
import { setTimeout as delay } from "node:timers/promises";

import { isBusy } from "./sqlite-errors.ts";

/**
 * Repeats an attempt while another process keeps the database locked, as long as the patience allows it. The event loop
 * runs between two attempts; a wait inside SQLite would block it.
 */
export async function retryWhileBusy<Result>(
  patience: Patience,
  attempt: () => Result,
): Promise<Result> {
  const start = performance.now();
  const wait = patience.left();
  let isBlocked = false;
  for (;;) {
    try {
      const result = attempt();
      // The lock that this call met is gone.
      if (isBlocked) patience.worked();
      return result;
    } catch (error) {
      if (!isBusy(error)) throw error;
      isBlocked = true;
      patience.blocked();
      if (performance.now() - start >= wait) throw error;
    }
    // Random pauses, so that two processes do not collide again and again.
    await delay(1 + Math.random() * 15);
  }
}
