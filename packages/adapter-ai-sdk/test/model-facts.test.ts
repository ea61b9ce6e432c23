import { expect, it } from "vitest";

import { viewOptions } from "../src/model-facts.ts";

it.each([
  ["anthropic.messages", "claude-opus-5-5", "anthropic/claude-opus-5-5", "bound"],
  ["vertex.anthropic.messages", "claude-sonnet-4-5", "anthropic/claude-sonnet-4-5", "free"],
  ["openai.chat", "gpt-4o", "openai/gpt-4o", "free"],
  ["gateway", "anthropic/claude-opus-5-5", "anthropic/claude-opus-5-5", "bound"],
  [
    "amazon-bedrock",
    "eu.anthropic.claude-opus-5-5",
    "amazon-bedrock/eu.anthropic.claude-opus-5-5",
    "bound",
  ],
])("knows %s %s by its names", (provider, modelId, model, thinking) => {
  expect(viewOptions({ provider, modelId })).toMatchObject({ model, thinking });
});

it("takes over the facts that only the app knows", () => {
  const known = { contextWindow: 100_000, cost: { input: 2, cacheRead: 1 } };

  const options = viewOptions({ provider: "own.chat", modelId: "a" }, known);

  expect(options).toMatchObject({ contextWindow: 100_000, prices: { read: 0.5, source: "host" } });
});
