import type { HarnessAdapter } from "@self-context-manager/core/host";

/** What OpenClaw offers, from release 2026.9.5 on. */
export const openClawAdapter: HarnessAdapter = {
  specification: "harness-1",
  harness: "openclaw",
  supports: {
    contextAssembly: true,
    toolRegistration: true,
    toolGate: true,
    toolEvents: true,
    sessionIds: true,
    instructions: true,
    images: true,
    ownMessages: true,
    branches: false,
    forks: true,
    compactionHook: true,
    summaries: true,
    notices: false,
    otherExtensions: true,
    requestErrors: false,
    signedThinking: true,
  },
};
