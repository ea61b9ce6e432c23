import { fullSupport, type HarnessAdapter } from "@self-context-manager/core/host";

/** The features that `generateText` and `streamText` offer to `prepareStep` and the wrapped tools of `aiSdkContext`. */
export const aiSdkAdapter: HarnessAdapter = {
  specification: "harness-1",
  harness: "ai-sdk",
  supports: { ...fullSupport, compactionHook: false, summaries: false },
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
