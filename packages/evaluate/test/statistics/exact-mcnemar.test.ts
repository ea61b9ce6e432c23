import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { exactMcnemar } from "../../src/statistics/exact-mcnemar.ts";

describe("McNemar's exact test", () => {
  // The first is the example of Bentur et al. (2009) in Fagerland et al. (2014); expected values from SciPy 1.17.
  test.each([
    [1, 7, 0.0703125],
    [40, 20, 0.01348929373119186],
    [0, 5, 0.0625],
    [0, 6, 0.03125],
    [15, 5, 0.04138946533203125],
    [5, 12, 0.143463134765625],
    [600, 700, 0.0060157938610449395],
    [0, 1, 1],
    [0, 0, 1],
    [3, 3, 1],
  ])("of %i against %i pairs has p = %f", (onlyFirst, onlySecond, p) => {
    expect(exactMcnemar(onlyFirst, onlySecond)).toBeCloseTo(p, 10);
  });

  test("does not depend on the order and is a probability", () => {
    const count = fc.integer({ min: 0, max: 3000 });
    fc.assert(
      fc.property(count, count, (first, second) => {
        const p = exactMcnemar(first, second);

        expect(p).toBe(exactMcnemar(second, first));
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("has a smaller p for a more uneven split of as many pairs", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 200 }),
        (few, more) => {
          fc.pre(few < more);
          expect(exactMcnemar(few - 1, more + 1)).toBeLessThan(exactMcnemar(few, more));
        },
      ),
    );
  });
});
