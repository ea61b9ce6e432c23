import { describe, expect, test } from "vitest";

import { modelPrices } from "../src/model-prices.ts";

const opus = {
  provider: "anthropic",
  id: "claude-opus-5-5",
  api: "anthropic-messages",
  cost: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
  promptCache: { short: 300, long: 3600 },
};

describe("the prices of a model of Pi's", () => {
  test("are the host's own, by the model's name", () => {
    expect(modelPrices(opus)).toMatchObject({
      model: "anthropic/claude-opus-5-5",
      prices: { read: 0.05, write: 1.25, lifetime: 300_000, caching: "explicit", source: "host" },
    });
  });

  test("are those of an hour's entry where the last request asked for one", () => {
    expect(modelPrices(opus, "long").prices).toMatchObject({ write: 2, lifetime: 3_600_000 });
  });

  test("have the tiers that newer releases name", () => {
    const tiers = [{ inputTokensAbove: 200_000, input: 8, output: 30, cacheRead: 0.4 }];

    expect(modelPrices({ ...opus, cost: { ...opus.cost, tiers } }).prices?.tiers).toEqual([
      { above: 200_000, factor: 2 },
    ]);
  });

  test("come from elsewhere where a release has no price or says something else", () => {
    for (const cost of [undefined, "free", { input: "4" }, {}])
      expect(modelPrices({ ...opus, cost }).prices?.source).toBe("table");
  });

  test("are not there without a model that has a name", () => {
    for (const model of [undefined, null, {}, { id: "x" }, { provider: "x" }, "x"])
      expect(modelPrices(model)).toEqual({});
  });
});
