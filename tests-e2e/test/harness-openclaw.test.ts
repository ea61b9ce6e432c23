import { openClawAdapter } from "@self-context-manager/adapter-openclaw";
import { harnessContract } from "@self-context-manager/testkit";
import { afterAll } from "vitest";

import { type OpenClawHosts, openClawHosts } from "../src/openclaw/openclaw-host.ts";

const { harness, supports } = openClawAdapter;

for (const settings of ["defaults"] as const) {
  let hosts: Promise<OpenClawHosts> | undefined;
  harnessContract({
    name: harness,
    // Chat completions send no signed thinking.
    supports: { ...supports, signedThinking: false },
    knownGaps: {
      "request-changes-are-followed":
        "OpenClaw offers no way in which a plugin leaves out or adds a message of a request",
    },
    settings,
    timeout: 240_000,
    openHost: async (options) =>
      await (await (hosts ??= openClawHosts(settings))).openHost(options),
  });
  afterAll(async () => await (await hosts)?.[Symbol.asyncDispose]());
}
