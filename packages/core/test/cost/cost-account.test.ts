import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accountRow, readAccountRow } from "../../src/cost/account-row.ts";
import {
  type CostAccount,
  costRatio,
  countCall,
  countReport,
  emptyAccount,
  reportedProfile,
} from "../../src/cost/cost-account.ts";
import { estimatedCost, pricedUsage, tierFactor } from "../../src/cost/estimated-cost.ts";
import { prefixStability } from "../../src/cost/prefix-stability.ts";
import { type PriceProfile, priceProfile } from "../../src/cost/price-profile.ts";
import { soundUsage } from "../../src/cost/reported-usage.ts";

const profile: PriceProfile = {
  read: 0.1,
  write: 1.25,
  minimum: 1000,
  tiers: [{ above: 200_000, factor: 2 }],
  caching: "explicit",
  source: "host",
};

describe("an estimated cost", () => {
  test("reads shared tokens and writes new ones", () => {
    expect(estimatedCost(profile, { promptTokens: 10_000, sharedTokens: 8000 })).toEqual({
      cached: 8000,
      fresh: 2000,
      units: 800 + 2500,
    });
  });

  test("writes the whole prompt to a cold cache", () => {
    const call = { promptTokens: 10_000, sharedTokens: 8000, isCold: true };

    expect(estimatedCost(profile, call)).toEqual({ cached: 0, fresh: 10_000, units: 12_500 });
  });

  test("neither reads nor writes below the provider's minimum", () => {
    expect(estimatedCost(profile, { promptTokens: 900, sharedTokens: 800 })).toEqual({
      cached: 0,
      fresh: 900,
      units: 900,
    });
  });

  test("reads no prefix that was too short for the cache", () => {
    expect(estimatedCost(profile, { promptTokens: 2000, sharedTokens: 999 }).cached).toBe(0);
    expect(estimatedCost(profile, { promptTokens: 2000, sharedTokens: 1000 }).cached).toBe(1000);
  });

  test("has a higher price for the whole prompt above a tier", () => {
    expect(tierFactor(profile, 200_000)).toBe(1);
    expect(tierFactor(profile, 200_001)).toBe(2);
  });

  test("has only the uncached price without a cache", () => {
    const none = { ...profile, read: 1, write: 1, caching: "none" } as const;

    expect(estimatedCost(none, { promptTokens: 5000, sharedTokens: 5000 }).units).toBe(5000);
  });

  test("is at most the price of writing the prompt and at least that of reading it", () => {
    const tokens = fc.nat(300_000);
    fc.assert(
      fc.property(tokens, tokens, fc.boolean(), (promptTokens, sharedTokens, cold) => {
        const cost = estimatedCost(profile, { promptTokens, sharedTokens, isCold: cold });
        const factor = tierFactor(profile, promptTokens);

        expect(cost.cached + cost.fresh).toBe(promptTokens);
        expect(cost.units).toBeGreaterThanOrEqual(promptTokens * profile.read * factor - 1e-6);
        expect(cost.units).toBeLessThanOrEqual(promptTokens * profile.write * factor + 1e-6);
      }),
    );
  });
});

describe("prefix stability", () => {
  const message = (digest: string, tokens = 10) => ({ digest, tokens });

  test("counts the unchanged messages at the start", () => {
    const before = [message("a"), message("b", 20), message("c")];
    const after = [message("a"), message("b", 20), message("x"), message("c")];

    expect(prefixStability(before, after)).toEqual({
      messages: 2,
      tokens: 30,
      promptTokens: 50,
      isAppended: false,
    });
  });

  test("is appended if the request begins with all of the last one", () => {
    expect(prefixStability([message("a")], [message("a"), message("b")]).isAppended).toBe(true);
    expect(prefixStability([], [message("a")]).isAppended).toBe(true);
    expect(prefixStability([message("a"), message("b")], [message("a")]).isAppended).toBe(false);
  });
});

describe("reported usage", () => {
  test("counts only positive numbers, and is undefined without a token", () => {
    expect(soundUsage({ input: 5, cacheRead: 7, cacheWrite: -1 })).toEqual({
      input: 5,
      cacheRead: 7,
      cacheWrite: 0,
    });
    expect(soundUsage({ input: 0, cacheRead: 0, cacheWrite: 0 })).toBeUndefined();
    expect(soundUsage({ input: Number.NaN, cacheRead: 0, cacheWrite: 0 })).toBeUndefined();
  });

  test("is priced with its tier", () => {
    const usage = { input: 10, cacheRead: 200_000, cacheWrite: 100 };

    expect(pricedUsage(profile, usage)).toBeCloseTo((10 + 20_000 + 125) * 2);
  });
});

describe("the account of a session", () => {
  test("compares the sent prompts with those of an append-only session", () => {
    const first = countCall(emptyAccount, profile, {
      promptTokens: 10_000,
      sharedTokens: 0,
      appendOnlyTokens: 10_000,
      isCold: true,
    });
    const second = countCall(first, profile, {
      promptTokens: 6000,
      sharedTokens: 2000,
      appendOnlyTokens: 12_000,
      isCold: false,
    });

    expect(first.estimated).toEqual({ calls: 1, cached: 0, fresh: 10_000, units: 12_500 });
    expect(second.estimated).toEqual({
      calls: 2,
      cached: 2000,
      fresh: 14_000,
      units: 12_500 + 200 + 5000,
    });
    expect(second.append_only).toEqual({
      cached: 10_000,
      fresh: 12_000,
      units: 12_500 + 1000 + 2500,
    });
    expect(costRatio(second)).toBeCloseTo(17_700 / 16_000);
  });

  test("does not depend on when the host's overhead becomes known", () => {
    const grown = fc.array(
      fc.tuple(
        fc.integer({ min: 1, max: 9000 }),
        fc.nat(5000),
        fc.double({ min: 0.5, max: 2, noNaN: true }),
      ),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(grown, (steps) => {
        let account = emptyAccount;
        let sent = 0;
        for (const [tokens, overheadTokens, factor] of steps) {
          account = countCall(account, profile, {
            promptTokens: sent + tokens,
            sharedTokens: sent,
            appendOnlyTokens: sent + tokens,
            overheadTokens,
            factor,
            isCold: false,
          });
          sent += tokens;
        }

        expect(costRatio(account)).toBeCloseTo(1, 10);
      }),
    );
  });

  test("counts like the provider after calibration", () => {
    const first = { promptTokens: 8000, sharedTokens: 0, appendOnlyTokens: 8000, isCold: false };
    const second = { promptTokens: 9000, sharedTokens: 6000, appendOnlyTokens: 12_000 };
    const learned = { overheadTokens: 1000, factor: 0.75, isCold: false };

    const before = countCall(emptyAccount, profile, first);
    const after = countCall(before, profile, { ...second, ...learned });

    expect(after.estimated.cached).toBe(6000 * 0.75 + 1000);
    expect(after.estimated.fresh - before.estimated.fresh).toBe(3000 * 0.75);
    expect(after.append_only.cached).toBe(8000 * 0.75 + 1000);
    expect(after.append_only.fresh - before.append_only.fresh).toBe(4000 * 0.75);
  });

  test("keeps the reported usage separate", () => {
    const account = countReport(emptyAccount, { input: 1, cacheRead: 2, cacheWrite: 3 });

    expect(account.reported).toEqual({ calls: 1, input: 1, cache_read: 2, cache_write: 3 });
    expect(account.estimated).toEqual(emptyAccount.estimated);
    expect(costRatio(account)).toBeUndefined();
  });

  test("has a ratio of 1 for any prices if nothing ever leaves the view", () => {
    const prices = fc.constantFrom("claude-opus-5-5", "gpt-5", "gemini-3-pro", "mystery");
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 30_000 }), fc.boolean()), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(prices, steps, (id, grown) => {
        const prices = priceProfile({ provider: "any", id });
        let account = emptyAccount;
        let sent = 0;
        for (const [tokens, cold] of grown) {
          account = countCall(account, prices, {
            promptTokens: sent + tokens,
            sharedTokens: sent,
            appendOnlyTokens: sent + tokens,
            isCold: cold,
          });
          sent += tokens;
        }

        expect(costRatio(account)).toBeCloseTo(1, 10);
        expect(JSON.parse(JSON.stringify(account))).toEqual(account);
      }),
    );
  });
});

describe("a profile corrected by reports", () => {
  const after = (...usages: readonly (readonly [number, number, number])[]): CostAccount =>
    usages.reduce(
      (account, [input, cacheRead, cacheWrite]) =>
        countReport(account, { input, cacheRead, cacheWrite }),
      emptyAccount,
    );
  const silent = [5000, 0, 0] as const;

  test("has no cache after several long prompts without a cached token", () => {
    expect(reportedProfile(profile, after(silent, silent, silent))).toMatchObject({
      read: 1,
      write: 1,
      caching: "none",
    });
  });

  test("is unchanged after few calls, short prompts, or any cached token", () => {
    const short = [500, 0, 0] as const;
    for (const account of [
      undefined,
      after(silent, silent),
      after(short, short, short),
      after([0, 0, 5000], silent, silent),
      after(silent, silent, [0, 5000, 0]),
    ])
      expect(reportedProfile(profile, account)).toBe(profile);
  });

  test("is unchanged if the provider caches automatically", () => {
    const automatic = { ...profile, caching: "automatic" } as const;

    expect(reportedProfile(automatic, after(silent, silent, silent))).toBe(automatic);
  });
});

describe("a stored account", () => {
  test("is read unchanged, with units rounded", () => {
    const account: CostAccount = {
      estimated: { calls: 3, cached: 4, fresh: 5, units: 6.4 },
      append_only: { cached: 7, fresh: 8, units: 9.6 },
      reported: { calls: 1, input: 2, cache_read: 10, cache_write: 11 },
      append_only_prompt: 12,
    };

    expect(readAccountRow(accountRow(account))).toEqual({
      ...account,
      estimated: { ...account.estimated, units: 6 },
      append_only: { ...account.append_only, units: 10 },
    });
    expect(readAccountRow(undefined)).toBeUndefined();
  });
});
