import { runsEveryForm } from "@self-context-manager/store-contract";
import { describe, expect, test } from "vitest";

import { longReplies } from "../src/caching/long-session.ts";
import {
  type CacheRules,
  pricedRun,
  type PricedRun,
  type PricedRunOptions,
  pricesOf,
  unitsOf,
} from "../src/caching/priced-run.ts";
import { piVersions } from "../src/pi-versions.ts";

const runs = new Map<string, Promise<PricedRun>>();

/** Returns a run of the long session, which is made once for all tests that read it. */
async function run(options: PricedRunOptions): Promise<PricedRun> {
  const key = JSON.stringify(options);
  const known = runs.get(key) ?? pricedRun(options);
  runs.set(key, known);
  return await known;
}

/** Returns the calls that could not read all earlier messages from the cache, because an epoch began. */
function cuts({ billed }: PricedRun): readonly number[] {
  return billed.flatMap(({ read }, index) => {
    const before = billed[index - 1];
    const sent = before === undefined ? 0 : before.read + before.written + before.input;
    // OpenAI reads in steps of 128 tokens.
    return read < sent - 256 ? [index] : [];
  });
}

/** Returns the call at which the last epoch began, if too few calls followed to pay for it. */
function lateCut(one: PricedRun): number {
  const last = cuts(one).at(-1) ?? 0;
  return last > one.billed.length - 10 ? last : one.billed.length;
}

/** Settings with which the long session has several epochs. */
const thrifty = { SCM_SETTING: "thrifty", SCM_ALIVE: "15" };

const newest = piVersions.slice(-1);
/** A short run has the rules of one provider, and compares only the defaults with plain Pi. */
const isEveryForm = runsEveryForm("adapter-pi");
const further = isEveryForm ? newest : [];
const cases: readonly PricedRunOptions[] = [
  ...piVersions.map((pi) => ({ pi, rules: "anthropic" as const })),
  ...further.map((pi) => ({ pi, rules: "openai" as const })),
];

describe.each(cases)(
  "a long session on Pi $pi.version, billed by the rules of $rules",
  ({ pi, rules }) => {
    const plain = async (): Promise<PricedRun> => await run({ pi, rules });
    const managed = async (): Promise<PricedRun> => await run({ pi, rules, managed: {} });

    test("runs to its end on both sides without a refused request", async () => {
      for (const { billed, failures } of [await plain(), await managed()]) {
        expect(failures).toEqual([]);
        expect(billed).toHaveLength(longReplies.length);
      }
    });

    test("costs at least a quarter less than in plain Pi", async () => {
      const units = [await plain(), await managed()].map(({ billed }) =>
        unitsOf(billed, pricesOf[rules]),
      );

      expect(units[1]).toBeLessThan((units[0] ?? 0) * 0.75);
    });

    test("shows the model each text that it edits", async () => {
      expect((await managed()).readAgain).toBe(0);
    });

    test.runIf(isEveryForm)("shows it fewer texts with few objects alive", async () => {
      const few = await run({ pi, rules, managed: thrifty });

      expect(few.failures).toEqual([]);
      expect(few.readAgain).toBeGreaterThan(0);
    });

    test("is append-only in plain Pi, and within each of its few epochs", async () => {
      const [never, ended] = [cuts(await plain()), cuts(await managed())];

      expect(never).toEqual([]);
      expect(ended.length).toBeGreaterThanOrEqual(1);
      expect(ended.length).toBeLessThanOrEqual(6);
    });

    test("has smaller requests at all times than plain Pi at its end", async () => {
      const { sizes } = await managed();
      const last = (await plain()).sizes.at(-1) ?? 0;

      expect(Math.max(...sizes)).toBeLessThan(last * 0.6);
    });
  },
);

describe.each(further)("breakpoints of the view on Pi $version", (pi) => {
  const rules: CacheRules = "anthropic";

  test("make the same session cheaper than Pi's own breakpoints do", async () => {
    const own = await run({ pi, rules, managed: thrifty });
    const host = await run({ pi, rules, managed: thrifty, breakpoints: "host" });

    // An epoch that ends in the session's last calls cannot pay for itself, and only one side may have such an end.
    const end = Math.min(...[own, host].map((one) => lateCut(one)));
    const [less, more] = [own, host].map(({ billed }) =>
      unitsOf(billed.slice(0, end), pricesOf[rules]),
    );
    expect(host.failures).toEqual([]);
    expect(less).toBeLessThan(more ?? 0);
  });

  test("let a new epoch read more than the system prompt from the cache", async () => {
    const own = await run({ pi, rules, managed: thrifty });
    const host = await run({ pi, rules, managed: thrifty, breakpoints: "host" });

    const readAtCuts = (one: PricedRun): readonly number[] =>
      cuts(one).map((index) => one.billed[index]?.read ?? 0);
    const systemOnly = Math.min(...readAtCuts(host));
    expect(Math.min(...readAtCuts(own))).toBeGreaterThan(systemOnly);
    expect(Math.max(...readAtCuts(own))).toBeGreaterThan(2 * systemOnly);
  });
});

describe.each(further)("the pooled layout on Pi $version", (pi) => {
  test("costs several times as much as plain Pi with a prompt cache", async () => {
    const managed = { SCM_LAYOUT: "pooled", SCM_POLICY: "window" };
    const pooled = await run({ pi, rules: "anthropic", managed });
    const plain = await run({ pi, rules: "anthropic" });

    const [dear, usual] = [pooled, plain].map(({ billed }) => unitsOf(billed, pricesOf.anthropic));
    expect(pooled.failures).toEqual([]);
    expect(dear).toBeGreaterThan((usual ?? 0) * 2);
  });
});
