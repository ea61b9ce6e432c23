import { aiSdkAdapter, aiSdkMiddlewareAdapter } from "@self-context-manager/adapter-ai-sdk";
import { harnessContract } from "@self-context-manager/testkit";

import { openAnthropicSdkModel, openOpenAiModel } from "../src/ai-sdk/http-sdk-models.ts";
import { sdkHost } from "../src/ai-sdk/sdk-host.ts";

const { harness, supports } = aiSdkAdapter;

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
}

harnessContract({
  name: `${harness} with the OpenAI provider`,
  // Its chat completions have no images in results, and no signed thinking.
  supports: { ...supports, images: false, signedThinking: false },
  openHost: sdkHost({ function: "streamText", openModel: openOpenAiModel }),
});

harnessContract({
  name: `${harness} with the Anthropic provider`,
  supports,
  openHost: sdkHost({ function: "streamText", openModel: openAnthropicSdkModel }),
});
