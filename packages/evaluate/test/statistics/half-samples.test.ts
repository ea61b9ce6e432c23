import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { hasInterval, type RatioPart } from "../../src/statistics/bootstrap.ts";
import { halfSamplesOf, pairedRatio } from "../../src/statistics/half-samples.ts";
import { randomNumbers } from "../../src/statistics/random-numbers.ts";

const over = [12, 30, 7, 55, 21, 18];
const under = [20, 41, 9, 60, 35, 22];
const parts = over.map((value, index) => ({ over: value, under: under[index] ?? 0 }));

/** The p of the test by exchange of `over / ratio` and `under`, by trying all exchanges, on the side of a ratio too small. */
function exchangeTest(some: readonly RatioPart[], ratio: number): number {
  const gaps = some.map(({ over, under }) => over - ratio * under);
  const observed = gaps.reduce((sum, gap) => sum + gap, 0);
  let extreme = 0;
  for (let signs = 0; signs < 2 ** some.length; signs += 1) {
    const sum = gaps.reduce(
      (total, gap, at) => total + (((signs >> at) & 1) === 1 ? -gap : gap),
      0,
    );
    if (sum >= observed - 1e-9) extreme += 1;
  }
  return extreme / 2 ** some.length;
}

describe("the paired ratio with its interval from half-samples", () => {
  test("is from the least to the greatest ratio of a cluster or a sample for six clusters", () => {
    // The bounds of 95 % are the first and the last of 63 samples.
    const ratio = pairedRatio(parts, halfSamplesOf(6), 0.95);

    expect(ratio).toEqual({ value: 143 / 187, lower: 0.6, upper: 55 / 60 });
  });

  test("contains the ratios that the test by exchange does not reject", () => {
    const amount = fc.double({ min: 0.1, max: 100, noNaN: true });
    const clusters = fc.array(fc.record({ over: amount, under: amount }), {
      minLength: 6,
      maxLength: 8,
    });
    fc.assert(
      fc.property(clusters, (some) => {
        const ratio = pairedRatio(some, halfSamplesOf(some.length), 0.95);

        if (ratio === undefined || !hasInterval(ratio)) throw new Error("there is no interval");
        expect(exchangeTest(some, ratio.lower * 0.999)).toBeLessThanOrEqual(0.025);
        expect(exchangeTest(some, ratio.lower * 1.001)).toBeGreaterThan(0.0156);
        expect(ratio.lower).toBeLessThanOrEqual(ratio.value);
        expect(ratio.upper).toBeGreaterThanOrEqual(ratio.value);
      }),
      { numRuns: 50 },
    );
  });

  test("misses the ratio of equal arms in 5 of 100 evaluations with very unequal tasks", () => {
    const samples = halfSamplesOf(24, { count: 1000 });
    const random = randomNumbers(3);
    const experiments = 2000;
    let missed = 0;
    for (let experiment = 0; experiment < experiments; experiment += 1) {
      const some = Array.from({ length: 24 }, () => {
        const size = 100 ** random();
        return { over: size * (0.5 + random()), under: size * (0.5 + random()) };
      });
      const ratio = pairedRatio(some, samples, 0.95);
      if (ratio !== undefined && hasInterval(ratio) && (ratio.lower > 1 || ratio.upper < 1))
        missed += 1;
    }

    expect(missed / experiments).toBeGreaterThan(0.035);
    expect(missed / experiments).toBeLessThan(0.065);
  });

  test("changes little with the seed of the samples", () => {
    const random = randomNumbers(4);
    const many = Array.from({ length: 30 }, () => ({ over: random(), under: random() }));
    const [first, second] = [1, 2].map((seed) => {
      const ratio = pairedRatio(many, halfSamplesOf(30, { seed }), 0.95);
      if (ratio === undefined || !hasInterval(ratio)) throw new Error("there is no interval");
      return ratio;
    });

    expect(first).not.toEqual(second);
    expect(first?.lower).toBeCloseTo(second?.lower ?? 0, 1);
    expect(first?.upper).toBeCloseTo(second?.upper ?? 0, 1);
  });

  test("has no interval with fewer than six clusters, or if a bound is infinite", () => {
    const rare = over.map((value, index) => ({ over: value, under: index === 0 ? 1 : 0 }));

    expect(pairedRatio(parts.slice(1), halfSamplesOf(5), 0.95)).toEqual({ value: 131 / 167 });
    expect(pairedRatio(rare, halfSamplesOf(6), 0.95)).toEqual({ value: 143 });
  });

  test("does not exist if the lower sum is 0", () => {
    const none = over.map((value) => ({ over: value, under: 0 }));

    expect(pairedRatio(none, halfSamplesOf(6), 0.95)).toBeUndefined();
    expect(pairedRatio([], halfSamplesOf(0), 0.95)).toBeUndefined();
  });
});
