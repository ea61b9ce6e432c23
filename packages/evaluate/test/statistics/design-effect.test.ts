import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { designEffect } from "../../src/statistics/design-effect.ts";

const group = (...members: readonly number[]): Parameters<typeof designEffect>[0][number] => ({
  count: members.length,
  sum: members.reduce((sum, member) => sum + member, 0),
  squares: members.reduce((sum, member) => sum + member ** 2, 0),
});

describe("the design effect", () => {
  test("is 1 if no group has two members", () => {
    expect(designEffect([group(1), group(0), group(1)])).toBe(1);
  });

  test("is about the size of the groups if their members are equal", () => {
    const groups = Array.from({ length: 40 }, (_, index) => {
      const outcome = index % 2;
      return group(outcome, outcome, outcome);
    });

    expect(designEffect(groups)).toBeCloseTo((3 * 40) / 39, 10);
  });

  test("is 1 if the groups are more alike than chance makes them", () => {
    expect(designEffect([group(1, 0), group(0, 1), group(1, 0)])).toBe(1);
  });

  test("is 1 if all members are equal or there is one group", () => {
    expect(designEffect([group(1, 1), group(1, 1)])).toBe(1);
    expect(designEffect([group(1, 0, 0)])).toBe(1);
  });

  test("is at least 1 and ignores empty groups", () => {
    const groups = fc.array(fc.array(fc.constantFrom(-1, 0, 1), { maxLength: 4 }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(groups, (some) => {
        const effect = designEffect(some.map((members) => group(...members)));

        expect(effect).toBeGreaterThanOrEqual(1);
        expect(effect).toBe(
          designEffect(some.filter(({ length }) => length > 0).map((members) => group(...members))),
        );
      }),
    );
  });
});
