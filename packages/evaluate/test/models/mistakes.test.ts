import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { chance } from "../../src/models/chance.ts";
import { answerWithMistake, mistakeBefore } from "../../src/models/mistakes.ts";

const read = { type: "read", path: "src/a.ts" } as const;
const places = Array.from({ length: 400 }, (_, index) => ["task", 0, index] as const);

describe("a chance", () => {
  it("is from 0 up to 1, and the same for the same names", () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), (seed, name) => {
        const value = chance(seed, name);

        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThan(1);
        expect(chance(seed, name)).toBe(value);
      }),
    );
  });
});

describe("mistakes", () => {
  it("are made before about the given share of moves", () => {
    const made = places.filter((place) => mistakeBefore(read, { seed: 1, share: 0.3, place }));

    expect(made.length).toBeGreaterThan(80);
    expect(made.length).toBeLessThan(160);
  });

  it("are never made with a share of 0", () => {
    const options = places.map((place) => ({ seed: 1, share: 0, place }));

    expect(options.filter((one) => mistakeBefore(read, one) !== undefined)).toEqual([]);
    expect(options.filter((one) => answerWithMistake("It is 7.", one).isWrong)).toEqual([]);
  });

  it("are of each kind that fits the move", () => {
    const kinds = places.map(
      (place) => mistakeBefore(read, { seed: 1, share: 1, place, lastRead: "b.ts" })?.kind,
    );

    expect(new Set(kinds)).toEqual(new Set(["needless-run", "repeated-read", "wrong-path"]));
  });

  it("give an answer another number in a quarter of the share", () => {
    const answers = places.map((place) =>
      answerWithMistake("It is 79.", { seed: 1, share: 1, place }),
    );

    const wrong = answers.filter(({ isWrong }) => isWrong);
    expect(new Set(wrong.map(({ text }) => text))).toEqual(new Set(["It is 70."]));
    expect(wrong.length).toBeGreaterThan(70);
    expect(wrong.length).toBeLessThan(130);
  });

  it("leave an answer of one word a word", () => {
    const answers = places.map((place) => answerWithMistake("Done.", { seed: 1, share: 1, place }));

    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(["Done.", "Perhaps."]));
  });
});
