import type { Patience } from "@self-context-manager/core";

/** Milliseconds that the first call waits for a store that does not work. The rest of two seconds is for opening it. */
const firstWait = 1_600;

/**
 * Returns a patience for a host that waits for each call: from the moment at which a store does not work, all calls
 * together wait for a limited time, and later calls do not wait until the store has written again.
 */
export function callPatience(now: () => number = () => performance.now()): Patience {
  let since: number | undefined;
  return {
    left: () => (since === undefined ? firstWait : Math.max(0, since + firstWait - now())),
    blocked() {
      since ??= now();
    },
    worked() {
      since = undefined;
    },
  };
}
