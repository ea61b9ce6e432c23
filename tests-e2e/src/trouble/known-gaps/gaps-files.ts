import type { KnownGaps } from "./known-gaps.ts";

/** What is missing for a session with odd and changing files. */
export const gapsInFiles: KnownGaps = {};
