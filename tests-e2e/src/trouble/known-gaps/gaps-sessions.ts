import type { KnownGaps } from "./known-gaps.ts";

/** What is missing for a session with refusals, compactions and lost stores. */
export const gapsInSessions: KnownGaps = {};
