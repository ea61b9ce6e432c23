import type { Clock } from "@self-context-manager/core";

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };
