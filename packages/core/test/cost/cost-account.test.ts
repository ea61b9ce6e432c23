import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accountRow, readAccountRow } from "../../src/cost/account-row.ts";
import {
  type CostAccount,
  countAnswer,
  countCall,
  type CountedAnswer,
  type CountedCall,
  emptyAccount,
  reportedProfile,
  sessionBill,
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

/** A call whose messages are those of the plain host. */
const call = (promptTokens: number, sharedTokens: number, isCold = false): CountedCall => ({
  promptTokens,
  sharedTokens,
  plainTokens: promptTokens,
  isCold,
});

/** Returns the account with a call and its answer. */
function answered(
  account: CostAccount,
  counted: CountedCall,
  answer: Partial<CountedAnswer> = {},
): CostAccount {
  return countAnswer(countCall(account, profile, counted), { isOwn: false, ...answer });
}

describe("the account of a session", () => {
  test("compares the sent prompts with those of the plain host", () => {
    const first = countCall(emptyAccount, profile, call(10_000, 0, true));
    const second = countCall(first, profile, { ...call(6000, 2000), plainTokens: 12_000 });

    expect(first.estimated).toEqual({ calls: 1, cached: 0, fresh: 10_000, units: 12_500 });
    expect(second.estimated).toEqual({
      calls: 2,
      cached: 2000,
      fresh: 14_000,
      units: 12_500 + 200 + 5000,
    });
    expect(sessionBill(second)).toEqual({
      calls: 2,
      estimatedCalls: 2,
      missed: { calls: 0, tokens: 0 },
      units: 17_700,
      plainCalls: 2,
      plainUnits: 12_500 + 1000 + 2500,
    });
  });

  test("has the price of what the provider reported instead of the estimate", () => {
    const usage = { input: 10, cacheRead: 0, cacheWrite: 12_000 };
    const account = answered(emptyAccount, call(10_000, 0, true), { usage });

    expect(account.estimated.units).toBe(12_500);
    expect(account.reported).toEqual({ calls: 1, input: 10, cache_read: 0, cache_write: 12_000 });
    expect(sessionBill(account)).toMatchObject({
      estimatedCalls: 0,
      units: 10 + 15_000,
      plainUnits: 12_010 * 1.25,
    });
  });

  test("counts the calls for which the provider lacked most of what was sent before", () => {
    const reads = [0, 5000, 4999, 0].map((cacheRead) => ({
      input: 20_000,
      cacheRead,
      cacheWrite: 0,
    }));
    const accounts: CostAccount[] = [];
    for (const usage of reads)
      accounts.push(answered(accounts.at(-1) ?? emptyAccount, call(20_000, 10_000), { usage }));

    // The first provider may not report what it reads.
    expect(accounts.map(({ missed }) => missed)).toEqual([
      { calls: 0, tokens: 0 },
      { calls: 0, tokens: 0 },
      { calls: 1, tokens: 5001 },
      { calls: 2, tokens: 15_001 },
    ]);
  });

  test("leaves a call whose answer only calls context tools out of the plain host's", () => {
    const first = answered(emptyAccount, call(10_000, 0, true));
    const own = answered(first, call(10_200, 10_000), { isOwn: true });
    const last = answered(own, { ...call(10_400, 10_200), plainTokens: 10_100 });

    expect(sessionBill(own).units).toBe(12_500 + 1000 + 250);
    expect(sessionBill(own).plainUnits).toBe(12_500);
    expect(sessionBill(last)).toMatchObject({ calls: 3, plainCalls: 2 });
    expect(sessionBill(last).plainUnits).toBeCloseTo(12_500 + 1000 + 125);
  });

  test("has a cold cache in the plain host too after a call of context tools that found it cold", () => {
    const first = answered(emptyAccount, call(10_000, 0, true));
    const own = answered(first, call(10_200, 10_000, true), { isOwn: true });
    const last = answered(own, { ...call(10_400, 10_200), plainTokens: 10_100 });

    expect(last.plain.cached).toBe(0);
    expect(last.plain.units).toBe(12_500 + 10_100 * 1.25);
  });

  test("takes the host's part from the report, without that of the context tools", () => {
    const usage = { input: 0, cacheRead: 0, cacheWrite: 15_000 };
    const account = answered(emptyAccount, { ...call(2000, 0, true), ownTokens: 700 }, { usage });

    expect(account.plain.fresh).toBe(15_000 - 700);
  });

  test("has the plain host's cache lost whenever the provider had lost that of the session", () => {
    const first = { input: 0, cacheRead: 0, cacheWrite: 10_000 };
    const lost = { input: 0, cacheRead: 0, cacheWrite: 10_500 };
    const before = answered(emptyAccount, call(10_000, 0, true), { usage: first });
    const after = answered(before, call(10_500, 10_000), { usage: lost });

    expect(after.plain.units).toBe(after.billed.units);
    expect(after.plain.cached).toBe(0);
  });

  test("has uncached input in the plain host where the provider caches nothing", () => {
    const usage = { input: 10_000, cacheRead: 0, cacheWrite: 0 };
    const account = answered(
      emptyAccount,
      { ...call(10_000, 0, true), plainTokens: 30_000 },
      { usage },
    );

    expect(account.plain.units).toBe(30_000);
  });

  test("subtracts what earlier calls counted too much as new", () => {
    const usage = { input: 0, cacheRead: 0, cacheWrite: 5000 };
    const likely = (plain: number): CountedCall => ({
      ...call(5000, 0, true),
      plainTokens: plain,
      likely: { sent: 5000, plain },
    });
    const early = answered(emptyAccount, likely(20_000), { usage });
    const next = { ...likely(20_100), isCold: false, sharedTokens: 5000 };
    const fitted = { ...next, likely: { sent: 5000, plain: 15_100 } };
    const later = answered(early, fitted, { usage: { input: 0, cacheRead: 5000, cacheWrite: 0 } });

    expect(early.plain.fresh).toBe(20_000);
    expect(later.plain.fresh).toBe(15_100);
    expect(later.plain.units).toBeCloseTo(15_100 * 1.25 + 20_000 * 0.1);
  });

  test("subtracts nothing after the user went back", () => {
    const first = { input: 0, cacheRead: 0, cacheWrite: 10_000 };
    const before = answered(emptyAccount, call(10_000, 0, true), { usage: first });
    const usage = { input: 0, cacheRead: 6000, cacheWrite: 0 };
    const after = answered(before, call(6000, 6000), { usage });

    expect(after.plain.units).toBe(12_500 + 600);
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
          const next = call(sent + tokens, sent);
          account = countCall(account, profile, { ...next, overheadTokens, factor });
          sent += tokens;
        }

        const { units, plainUnits } = sessionBill(account);
        expect(units / plainUnits).toBeCloseTo(1, 8);
      }),
    );
  });

  test("counts like the provider after calibration", () => {
    const second = { ...call(9000, 6000), plainTokens: 12_000 };
    const learned = { overheadTokens: 1000, factor: 0.75 };

    const before = answered(emptyAccount, call(8000, 0));
    const after = answered(before, { ...second, ...learned });

    expect(after.estimated.cached).toBe(6000 * 0.75 + 1000);
    expect(after.estimated.fresh - before.estimated.fresh).toBe(3000 * 0.75);
    expect(after.plain.cached).toBe(8000 * 0.75 + 1000);
    expect(after.plain.fresh - before.plain.fresh).toBe(4000 * 0.75);
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
          account = countCall(account, prices, call(sent + tokens, sent, cold));
          sent += tokens;
        }

        const { units, plainUnits } = sessionBill(account);
        expect(units / plainUnits).toBeCloseTo(1, 8);
      }),
    );
  });
});

describe("a profile corrected by reports", () => {
  const after = (...usages: readonly (readonly [number, number, number])[]): CostAccount =>
    usages.reduce(
      (account, [input, cacheRead, cacheWrite]) =>
        countAnswer(account, { isOwn: false, usage: { input, cacheRead, cacheWrite } }),
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
  const settled = { ...emptyAccount, plain_prompt: { estimated: 12, reported: 13 } };

  test("is read unchanged, with units rounded", () => {
    const account: CostAccount = {
      ...settled,
      estimated: { calls: 3, cached: 4, fresh: 5, units: 6.4 },
      billed: { units: 20.2 },
      plain: { calls: 2, cached: 7, fresh: 8, units: 9.6 },
      reported: { calls: 1, input: 2, cache_read: 10, cache_write: 11 },
      missed: { calls: 14, tokens: 15 },
    };

    expect(readAccountRow(accountRow(account))).toEqual({
      ...account,
      estimated: { ...account.estimated, units: 6 },
      billed: { units: 20 },
      plain: { ...account.plain, units: 10 },
    });
    expect(readAccountRow(undefined)).toBeUndefined();
  });

  test("has the same bill after an answer that arrives in the next process", () => {
    const usage = { input: 0, cacheRead: 0, cacheWrite: 12_000 };
    const account = countCall(settled, profile, { ...call(10_000, 0, true), plainTokens: 11_000 });

    const [read, kept] = [readAccountRow(accountRow(account)) ?? emptyAccount, account].map((one) =>
      sessionBill(countAnswer(one, { isOwn: false, usage })),
    );
    expect(read).toEqual(kept);
  });
});
