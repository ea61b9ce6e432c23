import type { KnownGaps } from "./known-gaps.ts";

/** What is missing for a session with odd and changing files. */
export const gapsInFiles: KnownGaps = {
  "a file beyond the size that is read, which changes": {
    "reports to the model that the file has changed": "a file beyond the size is not watched",
  },
};
