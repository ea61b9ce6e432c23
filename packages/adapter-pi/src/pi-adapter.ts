import { fullSupport, type HarnessAdapter } from "@self-context-manager/core/host";

/** The features that every supported release of Pi offers to the extension. */
export const piAdapter: HarnessAdapter = {
  specification: "harness-1",
  harness: "pi",
  supports: fullSupport,
};
