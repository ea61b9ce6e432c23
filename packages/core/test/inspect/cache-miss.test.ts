import { describe, expect, it } from "vitest";

import { type MissFacts, missOf } from "../../src/inspect/cache-miss.ts";

/** A call after the end of an epoch, of which the provider read a part. */
function facts(more: Partial<MissFacts>): MissFacts {
  return {
    unchanged: 16_300,
    resent: 4_000,
    usage: { input: 0, cacheRead: 16_000, cacheWrite: 4_500 },
    isCached: true,
    models: ["anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"],
    changedPrompts: [],
    epochs: [
      { number: 1, calls: 8, left: [] },
      { number: 2, calls: 1, endedBy: "carried", left: ["t1", "f2"] },
    ],
    sentAt: [undefined, undefined],
    nameOf: (handle) => (handle === "f2" ? "a.ts" : ""),
    ...more,
  };
}

describe("the reason of a cache miss", () => {
  it("after the end of an epoch is what followed the first change", () => {
    expect(missOf(facts({}))?.text).toBe(
      "Epoch 1 ended because the cost of sending inactive content again had reached the set share of the cost of a rewrite. Removed from the view: t1 and f2 (a.ts). What follows the first change was billed again.",
    );
  });

  it("says so if the provider did not read what is before the first change", () => {
    const usage = { input: 0, cacheRead: 2_215, cacheWrite: 18_300 };

    expect(missOf(facts({ usage }))?.text).toContain(
      "The provider read only 2,215 tokens from its cache, although about 16,300 before the first change are the same.",
    );
  });

  it("names the epoch too that ended with a switch of the model", () => {
    const models = ["openai/gpt-5.4", "anthropic/claude-sonnet-4-5"] as const;
    const miss = missOf(facts({ models, usage: { input: 0, cacheRead: 0, cacheWrite: 20_000 } }));

    expect(miss?.reason).toBe("model-switched");
    expect(miss?.text).toMatch(/^The model changed .* Epoch 1 ended .* f2 \(a\.ts\)/u);
  });
});
