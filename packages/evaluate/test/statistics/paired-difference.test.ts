import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { nonInferiority, pairedDifference } from "../../src/statistics/paired-difference.ts";

describe("the paired difference with Tango's interval", () => {
  // The first three are examples of Bentur et al. (2009), Tango (1998) and the R package PropCIs. The expected values were
  // found in Python by maximising the likelihood numerically, without Tango's closed form.
  test.each([
    [1, 7, 21, -0.5172322772709702, -0.02600303213345219],
    [0, 1, 44, -0.11807709698213718, 0.059393231500875575],
    [40, 20, 160, 0.030864532487989874, 0.2180642439948714],
    [2, 9, 54, -0.2591384437467233, -0.01083178529559286],
    [7, 0, 20, 0.1324810392535308, 0.5671457233147634],
    [0, 0, 30, -0.11351339317409634, 0.11351339317409634],
    [20, 0, 20, 0.677749683894255, 1],
  ])(
    "of %i against %i in %i pairs is from %f to %f",
    (onlyFirst, onlySecond, pairs, lower, upper) => {
      const difference = pairedDifference({ pairs, onlyFirst, onlySecond }, 0.95);

      expect(difference?.value).toBeCloseTo((onlyFirst - onlySecond) / pairs, 12);
      expect(difference?.lower).toBeCloseTo(lower, 6);
      expect(difference?.upper).toBeCloseTo(upper, 6);
    },
  );

  const counts = fc
    .tuple(fc.nat(200), fc.nat(200), fc.nat(400))
    .filter(([first, second, same]) => first + second + same > 0)
    .map(([onlyFirst, onlySecond, same]) => ({
      pairs: onlyFirst + onlySecond + same,
      onlyFirst,
      onlySecond,
    }));

  test("contains the difference, inside -1 and 1", () => {
    fc.assert(
      fc.property(counts, (pairs) => {
        const { value, lower, upper } = pairedDifference(pairs, 0.95) ?? {};

        expect(lower).toBeGreaterThanOrEqual(-1);
        expect(lower).toBeLessThanOrEqual(value ?? Number.NaN);
        expect(upper).toBeGreaterThanOrEqual(value ?? Number.NaN);
        expect(upper).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("is mirrored if first and second change places", () => {
    fc.assert(
      fc.property(counts, ({ pairs, onlyFirst, onlySecond }) => {
        const there = pairedDifference({ pairs, onlyFirst, onlySecond }, 0.95);
        const back = pairedDifference(
          { pairs, onlyFirst: onlySecond, onlySecond: onlyFirst },
          0.95,
        );

        expect(back?.lower).toBeCloseTo(-(there?.upper ?? Number.NaN), 9);
        expect(back?.upper).toBeCloseTo(-(there?.lower ?? Number.NaN), 9);
      }),
    );
  });

  test("of no pairs does not exist", () => {
    expect(pairedDifference({ pairs: 0, onlyFirst: 0, onlySecond: 0 }, 0.95)).toBeUndefined();
  });
});

describe("non-inferiority", () => {
  test.each([
    ["shown", { value: 0, lower: -0.04, upper: 0.04 }],
    ["shown", { value: -0.02, lower: -0.04, upper: -0.001 }],
    ["not-shown", { value: 0, lower: -0.05, upper: 0.05 }],
    ["not-shown", { value: -0.1, lower: -0.2, upper: 0 }],
    ["worse", { value: -0.1, lower: -0.2, upper: -0.01 }],
  ] as const)("is %s for %o with a margin of 5 points", (answer, difference) => {
    expect(nonInferiority(difference, 0.05)).toBe(answer);
  });
});
