import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { wilsonInterval } from "../../src/statistics/wilson-interval.ts";

describe("Wilson's interval", () => {
  // The first four are examples of Newcombe (1998); all expected values are those of statsmodels 0.15.
  test.each([
    [81, 263, 0.2552885198782742, 0.366209576982804],
    [15, 148, 0.06238639953073628, 0.16048724172330803],
    [0, 20, 0, 0.1611251580528194],
    [1, 29, 0.006113214292762667, 0.17175521879320294],
    [20, 20, 0.8388748419471804, 1],
  ])("of %i in %i is from %f to %f", (successes, trials, lower, upper) => {
    const interval = wilsonInterval(successes, trials, { confidence: 0.95 });

    expect(interval?.lower).toBeCloseTo(lower, 10);
    expect(interval?.upper).toBeCloseTo(upper, 10);
  });

  test("is narrower with less confidence", () => {
    const interval = wilsonInterval(81, 263, { confidence: 0.9 });

    expect(interval?.lower).toBeCloseTo(0.2633136171884814, 10);
    expect(interval?.upper).toBeCloseTo(0.35656634960848815, 10);
  });

  test("is that of half as many trials if the design effect is 2", () => {
    const halved = wilsonInterval(20, 40, { confidence: 0.95, designEffect: 2 });

    expect(halved).toEqual(wilsonInterval(10, 20, { confidence: 0.95 }));
  });

  test("contains the share, inside 0 and 1", () => {
    const counts = fc
      .integer({ min: 1, max: 5000 })
      .chain((trials) => fc.tuple(fc.integer({ min: 0, max: trials }), fc.constant(trials)));
    fc.assert(
      fc.property(counts, fc.double({ min: 0.5, max: 0.999, noNaN: true }), (count, confidence) => {
        const interval = wilsonInterval(count[0], count[1], { confidence });

        expect(interval?.lower).toBeGreaterThanOrEqual(0);
        expect(interval?.lower).toBeLessThanOrEqual(count[0] / count[1]);
        expect(interval?.upper).toBeGreaterThanOrEqual(count[0] / count[1]);
        expect(interval?.upper).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("of no trials does not exist", () => {
    expect(wilsonInterval(0, 0, { confidence: 0.95 })).toBeUndefined();
  });
});
