import type { HarnessAdapter } from "@self-context-manager/core/host";

/**
 * The features that a bare agent of pi-agent-core offers to `agentContext`. Its creator provides sessions and their
 * ids.
 */
export const piAgentAdapter: HarnessAdapter = {
  specification: "harness-1",
  harness: "pi-agent-core",
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
    compactionHook: false,
    summaries: false,
    notices: false,
    otherExtensions: true,
    requestErrors: true,
    signedThinking: true,
  },
};
