import { aiSdkAdapter, aiSdkMiddlewareAdapter } from "@self-context-manager/adapter-ai-sdk";
import { runsEveryForm } from "@self-context-manager/store-contract";
import { harnessContract } from "@self-context-manager/testkit";

import { openAnthropicSdkModel, openOpenAiModel } from "../src/ai-sdk/http-sdk-models.ts";
import { sdkHost } from "../src/ai-sdk/sdk-host.ts";

const { harness, supports } = aiSdkAdapter;

const isEveryForm = runsEveryForm("adapter-ai-sdk");

const functions = ["generateText", "streamText"] as const;

/**
 * The SDK's own providers, over HTTP, with what each lacks and its known gaps. OpenAI's chat completions have no images in
 * results, and no signed thinking.
 */
const providers = [
  ["OpenAI", openOpenAiModel, { images: false, signedThinking: false }, {}],
  [
    "Anthropic",
    openAnthropicSdkModel,
    {},
    {
      "archived-is-named":
        "a streamed answer has a part that only the next prompt has in its final form, so finish does not record the answer",
    },
  ],
] as const;

for (const settings of ["defaults", "specification"] as const) {
  const names = isEveryForm || settings === "defaults" ? functions : functions.slice(0, 1);
  for (const name of names)
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
  // A door and settings of their own come together only if every form runs.
  if (settings === "specification" && !isEveryForm) continue;
  harnessContract({
    name: `${harness} middleware alone`,
    supports: aiSdkMiddlewareAdapter.supports,
    settings,
    openHost: sdkHost({ door: "middleware alone" }),
  });
  // The settings change what is in a request, the providers its form, and the functions how the answer arrives. A short
  // run has few combinations of them.
  for (const [provider, openModel, lacks, knownGaps] of providers) {
    for (const name of isEveryForm ? functions : functions.slice(-1))
      harnessContract({
        name: `${harness} ${name} with the ${provider} provider`,
        supports: { ...supports, ...lacks },
        knownGaps: name === "streamText" ? knownGaps : {},
        settings,
        openHost: sdkHost({ function: name, openModel }),
      });
    if (isEveryForm)
      harnessContract({
        name: `${harness} middleware with the ${provider} provider`,
        supports: { ...supports, ...lacks, otherExtensions: false },
        knownGaps,
        settings,
        openHost: sdkHost({ door: "middleware", function: "streamText", openModel }),
      });
  }
}
