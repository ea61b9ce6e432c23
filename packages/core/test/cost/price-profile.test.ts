import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ModelFacts, type PriceProfile, priceProfile } from "../../src/cost/price-profile.ts";

const sonnet = {
  provider: "anthropic",
  id: "claude-sonnet-4-5",
  api: "anthropic-messages",
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
};

const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

describe("a price profile", () => {
  test("comes from the host's prices, relative to uncached input", () => {
    expect(priceProfile(sonnet)).toEqual({
      read: expect.closeTo(0.1, 10),
      write: 1.25,
      lifetime: 300_000,
      minimum: 1024,
      tiers: [],
      caching: "explicit",
      source: "host",
    });
  });

  test.each<readonly [string, ModelFacts, Partial<PriceProfile>]>([
    [
      "has the host's prices if they differ from the table's",
      { ...sonnet, cost: { input: 2, cacheRead: 0.1, cacheWrite: 5 } },
      { read: 0.05, write: 2.5 },
    ],
    [
      "has no fee for writing if the host names none",
      {
        provider: "openai",
        id: "gpt-5",
        api: "openai-responses",
        cost: { input: 1.25, cacheRead: 0.125, cacheWrite: 0 },
      },
      { write: 1, caching: "automatic", source: "host" },
    ],
    [
      "has twice the input price for writing an entry that lives an hour",
      { ...sonnet, retention: "long" },
      { write: 2, lifetime: 3_600_000 },
    ],
    [
      "comes from the table if a known model is free",
      { provider: "github-copilot", id: "claude-opus-4.5", cost: free },
      { read: 0.1, write: 1.25, source: "table" },
    ],
    [
      "has no cache if an unknown model has a price but no read price",
      {
        provider: "groq",
        id: "llama-3.3-70b",
        cost: { input: 0.6, output: 1, cacheRead: 0, cacheWrite: 0 },
      },
      { read: 1, write: 1, caching: "none" },
    ],
    [
      "has no cache if reading costs as much as uncached input",
      {
        provider: "cerebras",
        id: "gpt-oss-120b",
        cost: { input: 0.35, cacheRead: 0.35, cacheWrite: 0 },
      },
      { caching: "none" },
    ],
    [
      "is automatic if Anthropic's protocol is used for a cache without a write price",
      {
        provider: "fireworks",
        id: "ember-1",
        api: "anthropic-messages",
        cost: { input: 3, cacheRead: 0.3, cacheWrite: 0 },
      },
      { caching: "automatic" },
    ],
  ])("%s", (_, facts, profile) => {
    expect(priceProfile(facts)).toMatchObject(profile);
  });

  test("has the host's tiers as factors, by ascending length", () => {
    const tiers = [
      { inputTokensAbove: 500_000, input: 9 },
      { inputTokensAbove: 200_000, input: 6 },
    ];

    expect(priceProfile({ ...sonnet, cost: { ...sonnet.cost, tiers } }).tiers).toEqual([
      { above: 200_000, factor: 2 },
      { above: 500_000, factor: 3 },
    ]);
  });

  test("has the lifetime of the host's model data for the requested retention", () => {
    const promptCache = { short: 240, long: 1800 };

    expect(priceProfile({ ...sonnet, promptCache }).lifetime).toBe(240_000);
    expect(priceProfile({ ...sonnet, promptCache, retention: "long" }).lifetime).toBe(1_800_000);
  });

  test("has no cache if the host asks for none", () => {
    expect(priceProfile({ ...sonnet, retention: "none" })).toEqual({
      read: 1,
      write: 1,
      minimum: 0,
      tiers: [],
      caching: "none",
      source: "host",
    });
  });

  test.each([
    ["claude-fable-5-1", 0.025, 1.25, 512],
    ["claude-opus-5.5", 0.05, 1.25, 512],
    ["us.anthropic.claude-haiku-4-5-20251001-v1:0", 0.1, 1.25, 4096],
    ["anthropic/claude-sonnet-4.6", 0.1, 1.25, 1024],
    ["claude-3-5-haiku-20241022", 0.1, 1.25, 2048],
    ["gpt-6.1-sol", 0.05, 1.25, 1024],
    ["gpt-6-luna", 0.1, 1.25, 1024],
    ["gpt-5.6-terra", 0.1, 1.25, 1024],
    ["gpt-5.5", 0.1, 1, 1024],
    ["gpt-5", 0.1, 1, 1024],
    ["openai/o3", 0.25, 1, 1024],
    ["gpt-4o-mini", 0.5, 1, 1024],
    ["o3-mini", 0.5, 1, 1024],
    ["o4-mini", 0.25, 1, 1024],
    ["kimi-k3", 0.1, 1, 1024],
    ["gemini-3-pro-preview", 0.1, 1, 4096],
    ["gemini-4-argon", 0.05, 1, 4096],
    ["deepseek-v4-pro", 0.033, 1, 0],
  ])("comes from the table without a host: %s", (id, read, write, minimum) => {
    expect(priceProfile({ provider: "any", id })).toMatchObject({
      read,
      write,
      minimum,
      source: "table",
    });
  });

  test.each(["gpt-4", "gpt-4-turbo", "llama-3.3-70b", "foo3"])(
    "does not match a family by a similar name: %s",
    (id) => {
      expect(priceProfile({ provider: "any", id }).source).toBe("default");
    },
  );

  test("has prices for a free local model, whose cost is time", () => {
    expect(priceProfile({ provider: "ollama", id: "qwen-coder", cost: free })).toEqual({
      read: 0.1,
      write: 1,
      minimum: 0,
      tiers: [],
      caching: "automatic",
      source: "default",
    });
  });

  test("is finite, with a read price of at most 1, for any prices of a host", () => {
    const price = fc.oneof(fc.constant(0), fc.double({ noNaN: false }));
    const tiers = fc.array(fc.record({ inputTokensAbove: price, input: price }), { maxLength: 3 });
    const cost = fc.record({ input: price, cacheRead: price, cacheWrite: price, tiers });
    const id = fc.constantFrom("claude-opus-4-5", "gpt-5", "unknown");
    fc.assert(
      fc.property(cost, id, (given, model) => {
        const profile = priceProfile({ provider: "any", id: model, cost: given });

        expect(profile.read).toBeGreaterThanOrEqual(0);
        expect(profile.read).toBeLessThanOrEqual(1);
        expect(profile.write).toBeGreaterThanOrEqual(1);
        for (const value of [profile.read, profile.write, ...profile.tiers.map((t) => t.factor)])
          expect(Number.isFinite(value)).toBe(true);
      }),
    );
  });
});
