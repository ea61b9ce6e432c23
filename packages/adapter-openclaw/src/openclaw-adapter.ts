import { fullSupport, type HarnessAdapter } from "@self-context-manager/core/host";

/** What OpenClaw offers, from release 2026.9.5 on. */
export const openClawAdapter: HarnessAdapter = {
  specification: "harness-1",
  harness: "openclaw",
  supports: {
    ...fullSupport,
    // It puts its own texts behind a request by itself, after the adapter.
    ownMessages: false,
    // With an engine of a plugin it does not shorten its list by itself.
    compactionHook: false,
    summaries: false,
    notices: false,
    // It shows no plugin the request as the provider gets it.
    requestPayloads: false,
  },
};
