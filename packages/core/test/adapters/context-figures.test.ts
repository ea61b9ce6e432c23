import {
  type CostAccount,
  countAnswer,
  countCall,
  emptyAccount,
} from "../../src/cost/cost-account.ts";
import { modelOptions } from "../../src/cost/model-options.ts";
import type { PriceProfile } from "../../src/cost/price-profile.ts";
import { describe, expect, it } from "vitest";

import { type ContextFigures, contextFigures } from "../../src/adapters/context-figures.ts";

const prices = modelOptions({ provider: "anthropic", id: "claude-sonnet-4-5" }).prices;
/** The account of one call of a warm cache. */
const oneCall = (
  at: PriceProfile,
  [promptTokens, sharedTokens, plainTokens]: readonly [number, number, number],
): CostAccount =>
  countCall(emptyAccount, at, { promptTokens, sharedTokens, plainTokens, isCold: false });
const account = oneCall(prices, [6000, 5000, 12_000]);
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
  contextFigures({ tokens, ...figures }, { nameOf, host: "Pi", command: "context" }).join("\n");

describe("the figures for the user", () => {
  it("show the tokens by pool and how many of them are no longer active", () => {
    expect(said({})).toBe(
      "In view, estimated: 38.2k tokens (metadata 100, chat 30k, active 8.1k).",
    );
    expect(said({ epoch })).toContain("; 2 % of them are no longer active.");
    expect(said({ epoch: { ...epoch, deadTokens: 20 } })).toContain("; under 1 % of them");
  });

  it("name estimates, byte comparisons and the provider's counts", () => {
    const reported = { input: 12, cacheRead: 36_000, cacheWrite: 2400 };

    const lines = said({ epoch, stability, account, prices, reported }).split("\n");

    expect(lines.slice(1, 5)).toEqual([
      "Unchanged, by the bytes of the messages: the first 95 % of the last request.",
      "Cost of 1 call, estimated: 1.8k tokens of uncached input, 88 % less than the 15k that the same work would cost in 1 call of plain Pi, estimated.",
      "Last call, reported by the provider: 36k tokens read from its cache, 2.4k written to it, 12 neither.",
      "Prices (from the built-in table), relative to uncached input: cache read 0.1, cache write 1.25 (minimum 1k tokens); assumed lifetime of a cache entry: 5 minutes.",
    ]);
  });

  it("give a short lifetime of a cache entry in seconds", () => {
    const lifetimes = [1_000, 14_000, 59_600, 90_000].map((lifetime) =>
      said({ prices: { ...prices, lifetime } }).replace(/^[^]*entry: /u, ""),
    );

    expect(lifetimes).toEqual(["1 second.", "14 seconds.", "1 minute.", "2 minutes."]);
  });

  it("show a higher cost, and that prices are assumed", () => {
    const unknown = modelOptions({ provider: "x", id: "x" }).prices;
    const more = oneCall(unknown, [11_000, 0, 10_000]);

    expect(said({ account: more, prices: unknown })).toContain(
      "Cost of 1 call, estimated, at assumed prices: 11k tokens of uncached input, 10 % more than the 10k that",
    );
  });

  it("show how often the provider did not have what was sent before", () => {
    const answers = [5000, 1000].map((cacheRead) => ({ input: 0, cacheRead, cacheWrite: 1000 }));
    const [warm, missed] = answers.map((usage) => countAnswer(account, { isOwn: false, usage }));

    expect(said({ account: warm })).not.toContain("lacked");
    expect(said({ account: missed })).toContain(
      "In 1 call the provider's cache lacked most of what was sent before, 4k tokens in all: its entry had expired, or Pi had changed something before these messages.",
    );
  });

  it("show how many calls have a report", () => {
    const usage = { input: 0, cacheRead: 5000, cacheWrite: 1000 };
    const reported = countAnswer(account, { isOwn: false, usage });
    const more = countCall(reported, prices, {
      promptTokens: 7000,
      sharedTokens: 6000,
      plainTokens: 13_000,
      isCold: false,
    });

    expect(said({ account: reported })).toContain("Cost of 1 call, as reported by the provider: ");
    expect(said({ account: more })).toContain("Cost of 2 calls, 1 of them estimated: ");
  });

  it("show which contents left the view, why, and how to activate them again", () => {
    expect(said({ epoch })).toContain(
      [
        "Epoch 4, 12 calls so far. The previous epoch ended because the cost of sending inactive content again had reached the set share of the cost of a rewrite.",
        "Removed from the view then: t3 named, t9/args named. /context restore activates those that are inactive.",
      ].join("\n"),
    );
    expect(said({ epoch: { ...epoch, left: [] } })).toMatch(/No content left the view\.$/u);
    expect(said({ epoch: { ...epoch, endedBy: undefined } })).toMatch(
      /Epoch 4, 12 calls so far\.$/u,
    );
  });

  it("name twelve contents and the number of the others", () => {
    const left = Array.from({ length: 20 }, (_, index) => `t${index}`);

    expect(said({ epoch: { ...epoch, left } })).toContain("Removed from the view then: t0 named");
    expect(said({ epoch: { ...epoch, left } })).toContain("t11 named, and 8 more.");
  });

  it("show that nothing is cached", () => {
    const none = { ...prices, caching: "none" } as const;

    expect(said({ prices: none })).toContain("nothing is cached");
  });
});
