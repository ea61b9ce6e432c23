import { countCall, emptyAccount, priceProfile } from "@self-context-manager/core";
import { describe, expect, test } from "vitest";

import { type ContextFigures, contextFigures } from "../src/context-figures.ts";

const prices = priceProfile({ provider: "anthropic", id: "claude-sonnet-4-5" });
const account = countCall(emptyAccount, prices, {
  promptTokens: 6000,
  sharedTokens: 5000,
  appendOnlyTokens: 12_000,
  isCold: false,
});
const epoch = {
  number: 4,
  calls: 12,
  endedBy: "carried",
  left: ["t3", "t9/args"],
  deadTokens: 900,
  promptTokens: 40_000,
};
const stability = { messages: 9, tokens: 38_000, promptTokens: 40_000, isAppended: true };
const tokens = { metadata: 100, chat: 30_000, active: 8100 };
const nameOf = (key: string): string => `${key} named`;
const said = (figures: Partial<ContextFigures>): string =>
  contextFigures({ tokens, ...figures }, nameOf).join("\n");

describe("what a person is told of costs", () => {
  test("is tokens by pool, and how much of them is dead", () => {
    expect(said({})).toBe(
      "In view, as estimated: 38.2k tokens (metadata 100, chat 30k, active 8.1k).",
    );
    expect(said({ epoch })).toContain("; 2 % of it is no longer active.");
    expect(said({ epoch: { ...epoch, deadTokens: 20 } })).toContain("; under 1 % of it");
  });

  test("names estimates, own bytes and reports as what they are", () => {
    const reported = { input: 12, cacheRead: 36_000, cacheWrite: 2400 };

    const lines = said({ epoch, stability, account, prices, reported }).split("\n");

    expect(lines.slice(1, 5)).toEqual([
      "Stable, by our own bytes: the first 95 % of the last request are as in the one before.",
      "Spent in 1 call, as estimated: 88 % less than the same calls append-only, 1.8k against 15k tokens of uncached input; 5k cached, 1k new.",
      "Last call, as the provider reported it: 36k tokens read from its cache, 2.4k written, 12 neither.",
      "Prices (from our table), where uncached input is 1: reading 0.1, writing 1.25, from 1k tokens on; what is cached is taken to live for 5 minutes.",
    ]);
  });

  test("says when it costs more, and when prices are assumed", () => {
    const unknown = priceProfile({ provider: "x", id: "x" });
    const more = countCall(emptyAccount, unknown, {
      promptTokens: 11_000,
      sharedTokens: 0,
      appendOnlyTokens: 10_000,
      isCold: false,
    });

    expect(said({ account: more, prices: unknown })).toContain(
      "Spent in 1 call, as estimated, at assumed prices: 10 % more than the same calls append-only",
    );
  });

  test("says what left, why, and how it comes back", () => {
    expect(said({ epoch })).toContain(
      [
        "Epoch 4, 12 calls so far. The one before ended because carrying what was no longer active had cost most of what leaving it out costs.",
        "2 left then: t3 named, t9/args named. /context restore brings them back.",
      ].join("\n"),
    );
    expect(said({ epoch: { ...epoch, left: [] } })).toMatch(/Nothing left\.$/u);
    expect(said({ epoch: { ...epoch, endedBy: undefined } })).toMatch(
      /Epoch 4, 12 calls so far\.$/u,
    );
  });

  test("names a dozen of many", () => {
    const left = Array.from({ length: 20 }, (_, index) => `t${index}`);

    expect(said({ epoch: { ...epoch, left } })).toContain("20 left then: t0 named");
    expect(said({ epoch: { ...epoch, left } })).toContain("t11 named, and 8 more.");
  });

  test("says that nothing is cached where nothing is", () => {
    const none = { ...prices, caching: "none" } as const;

    expect(said({ prices: none })).toContain("nothing is cached");
  });
});
