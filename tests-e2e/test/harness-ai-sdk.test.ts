import { aiSdkAdapter, aiSdkMiddlewareAdapter } from "@self-context-manager/adapter-ai-sdk";
import { runsEveryForm } from "@self-context-manager/store-contract";
import { harnessContract } from "@self-context-manager/testkit";

import { openAnthropicSdkModel, openOpenAiModel } from "../src/ai-sdk/http-sdk-models.ts";
import { sdkHost } from "../src/ai-sdk/sdk-host.ts";

const { harness, supports } = aiSdkAdapter;

/** The SDK's own providers, over HTTP. OpenAI's chat completions have no images in results, and no signed thinking. */
const providers = [
  ["OpenAI", openOpenAiModel, { images: false, signedThinking: false }],
  ["Anthropic", openAnthropicSdkModel, {}],
] as const;

for (const settings of ["defaults", "specification"] as const) {
  for (const name of ["generateText", "streamText"] as const)
    harnessContract({
      name: `${harness} ${name}`,
      supports,
      settings,
      openHost: sdkHost({ function: name }),
    });
  harnessContract({
    name: `${harness} middleware`,
    // A middleware cannot tell what other code has added to a prompt.
    supports: { ...supports, otherExtensions: false },
    settings,
    openHost: sdkHost({ door: "middleware", function: "streamText" }),
  });
  harnessContract({
    name: `${harness} middleware alone`,
    supports: aiSdkMiddlewareAdapter.supports,
    settings,
    openHost: sdkHost({ door: "middleware alone" }),
  });
  // The settings change what is in a request, and the providers its form. A short run has no combination of both.
  if (settings === "specification" && !runsEveryForm("adapter-ai-sdk")) continue;
  for (const [provider, openModel, lacks] of providers) {
    for (const name of ["generateText", "streamText"] as const)
      harnessContract({
        name: `${harness} ${name} with the ${provider} provider`,
        supports: { ...supports, ...lacks },
        settings,
        openHost: sdkHost({ function: name, openModel }),
      });
    harnessContract({
      name: `${harness} middleware with the ${provider} provider`,
      supports: { ...supports, ...lacks, otherExtensions: false },
      settings,
      openHost: sdkHost({ door: "middleware", function: "streamText", openModel }),
    });
  }
}
