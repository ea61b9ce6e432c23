import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { hasInterval, ratioOfSums, resamplesOf } from "../../src/statistics/bootstrap.ts";

const over = [12, 30, 7, 55, 21, 18, 90, 33, 14, 26, 40, 8];
const under = [20, 41, 9, 60, 35, 22, 160, 50, 13, 40, 52, 15];
const parts = over.map((value, index) => ({ over: value, under: under[index] ?? 0 }));

describe("the ratio of sums with its bootstrap interval", () => {
  test("agrees with BCa of SciPy at the widened level", () => {
    // scipy.stats.bootstrap with 400,000 resamples; 97.85 % is 95 % widened for 12 clusters.
    const ratio = ratioOfSums(parts, resamplesOf(12, { count: 100_000 }), 0.95);

    expect(ratio?.value).toBeCloseTo(0.6847195357833655, 12);
    expect(ratio).toMatchObject({
      lower: expect.closeTo(0.5897, 2) as number,
      upper: expect.closeTo(0.7925, 2) as number,
    });
  });

  test("agrees with BCa of SciPy for skewed amounts, whose resamples are mostly below their mean", () => {
    const skewed = [4, 6, 5, 9, 7, 30, 5, 8, 6, 62].map((value) => ({ over: value, under: 1 }));

    const mean = ratioOfSums(skewed, resamplesOf(10, { count: 100_000 }), 0.95);

    if (mean === undefined || !hasInterval(mean)) throw new Error("the mean has no interval");
    expect(mean.value).toBeCloseTo(14.2, 12);
    expect(Math.abs(mean.lower - 6.2)).toBeLessThan(0.15);
    expect(Math.abs(mean.upper - 39.1)).toBeLessThan(0.4);
  });

  test("is the same each time for the same seed, and nearly the same for another seed", () => {
    const first = ratioOfSums(parts, resamplesOf(12), 0.95);
    const second = ratioOfSums(parts, resamplesOf(12, { seed: 2 }), 0.95);

    expect(ratioOfSums(parts, resamplesOf(12), 0.95)).toEqual(first);
    expect(second).not.toEqual(first);
    expect(second).toMatchObject({ lower: expect.closeTo(0.59, 1) as number });
  });

  test("does not depend on the unit of either quantity", () => {
    const scaled = parts.map(({ over, under }) => ({ over: over * 8, under: under * 2 }));
    const resamples = resamplesOf(12, { count: 2000 });
    const plain = ratioOfSums(parts, resamples, 0.95);

    const ratio = ratioOfSums(scaled, resamples, 0.95);

    if (plain === undefined || !hasInterval(plain)) throw new Error("the ratio has no interval");
    expect(ratio).toMatchObject({
      value: expect.closeTo(plain.value * 4, 10) as number,
      lower: expect.closeTo(plain.lower * 4, 10) as number,
      upper: expect.closeTo(plain.upper * 4, 10) as number,
    });
  });

  test("contains the ratio, between the least and the greatest ratio of a cluster", () => {
    const amount = fc.double({ min: 0.1, max: 100, noNaN: true });
    const clusters = fc.array(fc.record({ over: amount, under: amount }), {
      minLength: 5,
      maxLength: 12,
    });
    fc.assert(
      fc.property(clusters, (some) => {
        const ratio = ratioOfSums(some, resamplesOf(some.length, { count: 500 }), 0.95);
        const ratios = some.map(({ over, under }) => over / under);

        if (ratio === undefined || !hasInterval(ratio)) throw new Error("there is no interval");
        expect(ratio.lower).toBeGreaterThanOrEqual(Math.min(...ratios) * 0.999_999);
        expect(ratio.upper).toBeLessThanOrEqual(Math.max(...ratios) * 1.000_001);
        expect(ratio.lower).toBeLessThanOrEqual(ratio.value * 1.000_001);
        expect(ratio.upper).toBeGreaterThanOrEqual(ratio.value * 0.999_999);
      }),
      { numRuns: 40 },
    );
  });

  test("of equal quantities is 1 without any width", () => {
    const same = under.map((value) => ({ over: value, under: value }));

    expect(ratioOfSums(same, resamplesOf(12), 0.95)).toEqual({ value: 1, lower: 1, upper: 1 });
  });

  test("has no interval with fewer than five clusters", () => {
    const ratio = ratioOfSums(parts.slice(0, 4), resamplesOf(4), 0.95);

    expect(ratio).toEqual({ value: 104 / 130 });
  });

  test("has no interval if the lower sum is 0 in too many resamples", () => {
    const rare = over.map((value, index) => ({ over: value, under: index === 0 ? 1 : 0 }));

    expect(ratioOfSums(rare, resamplesOf(12), 0.95)).toEqual({ value: 354 });
  });

  test("does not exist if the lower sum is 0", () => {
    const none = over.map((value) => ({ over: value, under: 0 }));

    expect(ratioOfSums(none, resamplesOf(12), 0.95)).toBeUndefined();
  });
});
