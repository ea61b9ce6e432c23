import { describe, expect, test } from "vitest";

import type { ModelFacts } from "@self-context-manager/core";
import { modelOptions } from "@self-context-manager/core";

import { viewOptions } from "../src/model-facts.ts";

/** The options of a view, with what the last request asked the provider for. */
function optionsFor(
  model: unknown,
  retention?: ModelFacts["retention"],
): ReturnType<typeof viewOptions> {
  const asked = retention === undefined ? {} : { retention };
  return viewOptions(model, {
    modelOptions: (facts) => ({ ...modelOptions({ ...facts, ...asked }), breakpoints: "own" }),
  });
}

const opus = {
  provider: "anthropic",
  id: "claude-opus-5-5",
  api: "anthropic-messages",
  cost: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
  promptCache: { short: 300, long: 3600 },
};

describe("the prices of one of Pi's models", () => {
  test("are the host's own, with the model's name", () => {
    expect(optionsFor(opus)).toMatchObject({
      model: "anthropic/claude-opus-5-5",
      prices: { read: 0.05, write: 1.25, lifetime: 300_000, caching: "explicit", source: "host" },
    });
  });

  test("are those of a one-hour entry if the last request asked for one", () => {
    expect(optionsFor(opus, "long").prices).toMatchObject({ write: 2, lifetime: 3_600_000 });
  });

  test("have the tiers that newer releases name", () => {
    const tiers = [{ inputTokensAbove: 200_000, input: 8, output: 30, cacheRead: 0.4 }];

    expect(optionsFor({ ...opus, cost: { ...opus.cost, tiers } }).prices?.tiers).toEqual([
      { above: 200_000, factor: 2 },
    ]);
  });

  test("come from the built-in table if a release has no usable price", () => {
    for (const cost of [undefined, "free", { input: "4" }, {}])
      expect(optionsFor({ ...opus, cost }).prices?.source).toBe("table");
  });

  test("say that a model binds its thinking, by its name or by Pi's data", () => {
    const compat = { supportsMidConvoEffort: true };
    const other = { ...opus, id: "loopback-1" };

    expect(optionsFor(opus).thinking).toBe("bound");
    expect(optionsFor({ ...other, compat }).thinking).toBe("bound");
    expect(optionsFor(other).thinking).toBe("free");
    // For OpenAI's protocol the same field is about another feature.
    expect(optionsFor({ ...other, compat, api: "openai-responses" }).thinking).toBe("free");
  });

  test("do not exist without a model that has a name", () => {
    for (const model of [undefined, null, {}, { id: "x" }, { provider: "x" }, "x"])
      expect(optionsFor(model)).toEqual({});
  });
});
