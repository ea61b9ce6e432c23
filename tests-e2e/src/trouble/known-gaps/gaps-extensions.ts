import type { KnownGaps } from "./known-gaps.ts";

/** What is missing for a session with other extensions. */
export const gapsInExtensions: KnownGaps = {};
