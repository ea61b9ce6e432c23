import type { HarnessAdapter } from "@self-context-manager/core/host";

/** The features that `generateText` and `streamText` offer to `prepareStep` and the wrapped tools of `aiSdkContext`. */
export const aiSdkAdapter: HarnessAdapter = {
  specification: "harness-1",
  harness: "ai-sdk",
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
    notices: true,
    otherExtensions: true,
    requestErrors: true,
    signedThinking: true,
  },
};

/**
 * The features of code that only takes a model, with the middleware around it. Its tools do not pass through the adapter,
 * so no context tool can be added, and nothing leaves its requests.
 */
export const aiSdkMiddlewareAdapter: HarnessAdapter = {
  ...aiSdkAdapter,
  supports: {
    ...aiSdkAdapter.supports,
    contextAssembly: false,
    toolRegistration: false,
    toolGate: false,
    toolEvents: false,
    instructions: false,
    otherExtensions: false,
  },
};
