import type { HarnessAdapter } from "@self-context-manager/core/host";

/** The features that every supported release of Pi offers to the extension. */
export const piAdapter: HarnessAdapter = {
  specification: "harness-1",
  harness: "pi",
  supports: {
    contextAssembly: true,
    toolRegistration: true,
    toolGate: true,
    toolEvents: true,
    sessionIds: true,
    instructions: true,
    images: true,
    ownMessages: true,
    branches: true,
    forks: true,
    compactionHook: true,
    summaries: true,
    notices: true,
    otherExtensions: true,
    requestErrors: true,
    signedThinking: true,
  },
};
