import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calibratedEstimator } from "../../src/cost/calibrated-estimator.ts";
import { fitText } from "../../src/render/fit-text.ts";

const markOf = (omitted: number): string => `[${omitted} characters not shown; how]`;

const estimator = calibratedEstimator();
const text = fc.string({ unit: "grapheme", maxLength: 400 });

describe("a text that is fitted into a number of tokens", () => {
  it("is whole if it fits", () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(fitText(given, estimator.text(given), estimator, markOf)).toEqual({
          text: given,
          isWhole: true,
        });
      }),
    );
  });

  it("never has more tokens, and states how much is missing if it is not whole", () => {
    fc.assert(
      fc.property(text, fc.nat(120), (given, tokens) => {
        const fitted = fitText(given, tokens, estimator, markOf);
        if (fitted === undefined || fitted.isWhole) return;

        expect(estimator.text(fitted.text)).toBeLessThanOrEqual(tokens);
        expect(fitted.text).toContain("not shown; how]");
        expect(fitted.text.isWellFormed()).toBe(true);
      }),
    );
  });

  it("has a head and a tail, and counts the characters between them", () => {
    const given = Array.from({ length: 500 }, (_, index) => `line ${index}`).join("\n");

    const fitted = fitText(given, 100, estimator, markOf);

    const [, head, left, tail] =
      /^([\s\S]*)\[(\d+) characters not shown; how\]\n([\s\S]*)$/u.exec(fitted?.text ?? "") ?? [];
    expect(given.startsWith(head?.trimEnd() ?? "?")).toBe(true);
    expect(given.endsWith(tail ?? "?")).toBe(true);
    expect(
      Math.abs((head ?? "").length + Number(left) + (tail ?? "").length - given.length),
    ).toBeLessThanOrEqual(1);
    expect((head ?? "").length).toBeGreaterThan((tail ?? "").length);
  });

  it("keeps whole lines if that costs little", () => {
    const given = Array.from({ length: 500 }, (_, index) => `line ${index}`).join("\n");

    const lines = fitText(given, 100, estimator, markOf)?.text.split("\n") ?? [];

    expect(
      lines.filter((line) => !/^(line \d+|\[\d+ characters not shown; how\])$/u.test(line)),
    ).toEqual([]);
    expect(lines.at(-1)).toBe("line 499");
  });

  it("is undefined if not even the mark fits", () => {
    expect(fitText("x".repeat(1_000), 3, estimator, markOf)).toBeUndefined();
  });

  it("is cut between characters, also if each is two units of UTF-16", () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 60 }), fc.nat(120), (length, tokens) => {
        const fitted = fitText("👩‍💻".repeat(length), tokens, estimator, markOf);

        expect(fitted?.text ?? "").not.toContain("\uFFFD");
      }),
    );
  });
});
