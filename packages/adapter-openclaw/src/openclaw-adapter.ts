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
    // It puts its own texts behind a request by itself, after the adapter.
    ownMessages: false,
    branches: true,
    forks: true,
    // With an engine of a plugin it does not shorten its list by itself.
    compactionHook: false,
    summaries: false,
    notices: false,
    otherExtensions: true,
    requestErrors: true,
    signedThinking: true,
  },
};
