import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seeded } from "../../src/tasks/seeded.ts";

describe("a seeded generator", () => {
  it("makes the same choices for the same seed and name, and others for other ones", () => {
    const choices = (seed: number, name: string): readonly number[] => {
      const random = seeded(seed, name);
      return Array.from({ length: 20 }, () => random.integer(0, 1_000_000));
    };

    expect(choices(1, "a")).toEqual(choices(1, "a"));
    expect(choices(1, "a")).not.toEqual(choices(2, "a"));
    expect(choices(1, "a")).not.toEqual(choices(1, "b"));
  });

  it("stays within the limits, and reaches both", () => {
    const random = seeded(3, "limits");
    const numbers = Array.from({ length: 300 }, () => random.integer(-2, 2));

    expect(new Set(numbers)).toEqual(new Set([-2, -1, 0, 1, 2]));
  });

  it("keeps the items of a list that it shuffles", () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.integer()), (seed, list) => {
        const shuffled = seeded(seed, "shuffle").shuffle(list);

        const rising = (one: number, other: number): number => one - other;
        expect(shuffled.toSorted(rising)).toEqual(list.toSorted(rising));
      }),
    );
  });

  it("makes words of which none contains another one", () => {
    const random = seeded(4, "words");
    const words = Array.from({ length: 200 }, () => random.word());

    const inside = words.filter((word) => words.some((o) => o !== word && o.includes(word)));
    expect([new Set(words).size, inside]).toEqual([200, []]);
  });

  it("has nothing to pick from an empty list", () => {
    expect(() => seeded(1, "empty").pick([])).toThrow("the list is empty");
  });
});
