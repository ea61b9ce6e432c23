import type { KnownGaps } from "./known-gaps.ts";

const sharedNames = "the context tools share the names, and contents leave";

/** What is missing for a session with refusals, compactions and lost stores. */
export const gapsInSessions: KnownGaps = {
  "foreign tools named activate, deactivate and pin, before the extension": {
    "has an own tool that the instruction names, or removes nothing": sharedNames,
  },
  "foreign tools named activate, deactivate and pin, after the extension": {
    "leaves the other extension's tool in place": "the context tools replace the other extension's",
    "has an own tool that the instruction names, or removes nothing": sharedNames,
  },
};
