import type { HostClock } from "@self-context-manager/core/host";

import { setTimeout as delay } from "node:timers/promises";

/** The time of the process. */
export const piClock: HostClock = {
  now: () => Date.now(),
  wait: async (milliseconds) => await delay(milliseconds, undefined, { ref: false }),
};
