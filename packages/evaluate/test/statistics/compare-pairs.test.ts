import { describe, expect, test } from "vitest";

import { comparePairs, type OutcomePair } from "../../src/statistics/compare-pairs.ts";
import { halfSamplesOf } from "../../src/statistics/half-samples.ts";
import { pairedDifference } from "../../src/statistics/paired-difference.ts";
import { pairsForPower } from "../../src/statistics/pairs-for-power.ts";

const options = {
  confidence: 0.95,
  margin: 0.05,
  amounts: ["dollars"],
  halfSamples: halfSamplesOf,
};

function pair(task: string, arm: boolean, baseline: boolean, dollars = 1): OutcomePair {
  return {
    task,
    arm: { isSolved: arm, amounts: { dollars } },
    baseline: { isSolved: baseline, amounts: { dollars: 2 } },
  };
}

const pairs = [
  ...Array.from({ length: 12 }, (_, task) => pair(`both ${task}`, true, true)),
  pair("only arm", true, false),
  ...Array.from({ length: 7 }, (_, task) => pair(`only baseline ${task}`, false, true)),
  pair("neither", false, false),
];

describe("the comparison of an arm with the baseline", () => {
  test("counts the pairs by outcome", () => {
    expect(comparePairs(pairs, options)).toMatchObject({
      pairs: 21,
      tasks: 21,
      both: 12,
      onlyArm: 1,
      onlyBaseline: 7,
      neither: 1,
      p: 0.0703125,
      nonInferiority: "worse",
      designEffect: 1,
    });
  });

  test("has Tango's interval of all pairs if each task has one", () => {
    expect(comparePairs(pairs, options).difference).toEqual(
      pairedDifference({ pairs: 21, onlyFirst: 1, onlySecond: 7 }, 0.95),
    );
  });

  test("knows as much from three equal pairs of each task as from one", () => {
    const once = comparePairs(pairs, options);
    const thrice = comparePairs([...pairs, ...pairs, ...pairs], options);

    expect(thrice.designEffect).toBeCloseTo((3 * 21) / 20, 10);
    expect(thrice.difference?.value).toBeCloseTo(once.difference?.value ?? 0, 10);
    expect(thrice.difference?.lower).toBeLessThan(once.difference?.lower ?? 0);
    expect(thrice.ratios).toEqual(once.ratios);
  });

  test("names the pairs that are needed for the observed discordance and its bounds", () => {
    const { discordance, pairsNeeded } = comparePairs(pairs, options);
    const needed = (share: number | undefined): number | undefined =>
      pairsForPower({ discordance: share ?? 0, margin: 0.05, alpha: (1 - 0.95) / 2, power: 0.8 });

    expect(discordance?.value).toBeCloseTo(8 / 21, 12);
    expect(pairsNeeded).toEqual({
      value: needed(discordance?.value),
      lower: needed(discordance?.lower),
      upper: needed(discordance?.upper),
    });
  });

  test("leaves pairs with an unknown amount out of its ratio", () => {
    const unknown: OutcomePair = {
      task: "unknown",
      arm: { isSolved: true, amounts: {} },
      baseline: { isSolved: true, amounts: { dollars: 100 } },
    };

    expect(comparePairs([...pairs, unknown], options).ratios["dollars"]).toEqual({
      value: 0.5,
      lower: 0.5,
      upper: 0.5,
    });
  });

  test("of no pairs has no estimates", () => {
    expect(comparePairs([], options)).toEqual({
      pairs: 0,
      tasks: 0,
      both: 0,
      onlyArm: 0,
      onlyBaseline: 0,
      neither: 0,
      p: 1,
      designEffect: 1,
      ratios: {},
    });
  });
});
