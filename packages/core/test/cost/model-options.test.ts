import { expect, it } from "vitest";
import { modelOptions } from "../../src/cost/model-options.ts";

it("the options of a view follow from the facts of its model", () => {
  const options = modelOptions({
    provider: "anthropic",
    id: "claude-opus-5",
    contextWindow: 200_000,
  });

  expect(options).toMatchObject({
    model: "anthropic/claude-opus-5",
    thinking: "bound",
    contextWindow: 200_000,
    prices: { caching: "explicit", source: "table" },
  });
});

it("a context window that is not known sets no limit", () => {
  expect(modelOptions({ provider: "openai", id: "gpt-9" })).not.toHaveProperty("contextWindow");
});
