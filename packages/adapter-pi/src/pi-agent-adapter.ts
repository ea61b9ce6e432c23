import { fullSupport, type HarnessAdapter } from "@self-context-manager/core/host";

/**
 * The features that a bare agent of pi-agent-core offers to `agentContext`. Its creator provides sessions and their
 * ids.
 */
export const piAgentAdapter: HarnessAdapter = {
  specification: "harness-1",
  harness: "pi-agent-core",
  supports: { ...fullSupport, compactionHook: false, summaries: false, notices: false },
};
