import { openClawAdapter } from "@self-context-manager/adapter-openclaw";
import { harnessContract } from "@self-context-manager/testkit";
import { afterAll, describe } from "vitest";

import { openClawProblem } from "../src/openclaw/install-openclaw.ts";
import { type OpenClawHosts, openClawHosts } from "../src/openclaw/openclaw-host.ts";

const { harness, supports } = openClawAdapter;

/** The protocols with what each of them lacks. Chat completions send no signed thinking. */
const protocols = [
  ["openai-completions", { signedThinking: false }],
  ["anthropic-messages", {}],
] as const;

// A law takes up to a minute, because it restarts two gateways.
const isLong = process.env["SCM_LONG"] === "1";
const isSkipped = !isLong || (await openClawProblem()) !== undefined;

describe.skipIf(isSkipped)("OpenClaw", () => {
  for (const [api, lacks] of protocols) {
    let hosts: Promise<OpenClawHosts> | undefined;
    harnessContract({
      name: `${harness} with ${api}`,
      supports: { ...supports, ...lacks },
      knownGaps: {
        "request-changes-are-followed":
          "OpenClaw offers no way in which a plugin leaves out or adds a message of a request",
      },
      timeout: 240_000,
      openHost: async (options) => await (await (hosts ??= openClawHosts(api))).openHost(options),
    });
    afterAll(async () => await (await hosts)?.[Symbol.asyncDispose]());
  }
});
