import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  headRange,
  lineCount,
  type LineRange,
  linesOf,
  rangeOf,
  rangesWithin,
  withRange,
} from "../../src/model/line-range.ts";

const text = fc
  .array(fc.constantFrom("a", "bb", "\n", "\r\n", "", "é"), { maxLength: 30 })
  .map((pieces) => pieces.join(""));

/** Returns the lines of a text, including their line breaks. */
function split(given: string): readonly string[] {
  return given.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}

function linesIn({ from, to }: LineRange): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

describe("line ranges", () => {
  it("count lines like an editor, where a line break at the end begins no new line", () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(lineCount(given)).toBe(split(given).length);
      }),
    );
  });

  it("return exactly the requested lines, including their line breaks", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 12 }), fc.nat(12), (given, from, more) => {
        const range = { from, to: from + more };

        expect(linesOf(given, range)).toBe(
          split(given)
            .slice(from - 1, range.to)
            .join(""),
        );
      }),
    );
  });

  it("are undefined exactly if they cover the whole text", () => {
    fc.assert(
      fc.property(text, fc.nat(11), fc.nat(40), (given, skipped, more) => {
        const lines = lineCount(given);
        const from = 1 + Math.min(skipped, Math.max(0, lines - 1));
        const to = from + more;

        const whole = from === 1 && to >= lines;
        expect(rangeOf(given, from, to)).toEqual(
          whole ? undefined : { from, to: Math.min(to, lines) },
        );
      }),
    );
  });

  it.each([
    [
      "a line after the end",
      "a\nb\n",
      3,
      undefined,
      "line 3 is outside the text, which has 2 lines",
    ],
    ["line 0", "a\n", 0, undefined, "line 0 is outside"],
    ["half a line", "a\nb\n", 1.5, undefined, "line 1.5 is outside"],
    [
      "an end before the beginning",
      "a\nb\nc\n",
      3,
      2,
      "lines 3 to 2 is not a range: the end is a whole number from 3 on",
    ],
    ["a line that is not a number", "a\n", Number.NaN, undefined, "line NaN is outside"],
    ["line 5 of an empty text", "", 5, undefined, "line 5 is outside the text, which has 0 lines"],
  ])("refuse %s", (_name, given, from, to, message) => {
    expect(() => rangeOf(given, from, to)).toThrow(message);
  });

  it("contain the first lines within both limits, and at least one line", () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 30 }),
        (given, lines, characters) => {
          const range = headRange(given, { lines, characters });

          const fits = lineCount(given) <= lines && given.length <= characters;
          expect(range === undefined).toBe(fits);
          if (range === undefined) return;
          const shown = linesOf(given, range);
          expect(range.from).toBe(1);
          expect(range.to).toBeLessThanOrEqual(lines);
          expect(shown.length <= characters || range.to === 1).toBe(true);
          const next = linesOf(given, { from: 1, to: range.to + 1 });
          expect(range.to === lines || next.length > characters).toBe(true);
        },
      ),
    );
  });

  it("combine to the same lines, in order and without an overlap", () => {
    const bound = fc.integer({ min: 1, max: 40 });
    const range = fc.tuple(bound, fc.nat(5)).map(([from, more]) => ({ from, to: from + more }));
    fc.assert(
      fc.property(fc.array(range, { minLength: 1 }), (given) => {
        const joined = given.reduce<readonly LineRange[]>(
          (ranges, one) => withRange(ranges, one) ?? [],
          [],
        );

        expect(new Set(joined.flatMap(linesIn))).toEqual(new Set(given.flatMap(linesIn)));
        for (const [index, { from }] of joined.entries())
          expect(from).toBeGreaterThan((joined[index - 1]?.to ?? -1) + 1);
      }),
    );
  });

  it("combine with the whole text to the whole text", () => {
    expect(withRange([{ from: 2, to: 4 }], undefined)).toBeUndefined();
    expect(withRange(undefined, { from: 2, to: 4 })).toBeUndefined();
  });

  it("end with the text, and are the whole text if it ends before they begin", () => {
    const ranges = [
      { from: 1, to: 2 },
      { from: 3, to: 9 },
      { from: 8, to: 9 },
    ];

    expect(rangesWithin(ranges, "a\nb\nc\nd\n")).toEqual([
      { from: 1, to: 2 },
      { from: 3, to: 4 },
    ]);
    expect(rangesWithin([{ from: 3, to: 4 }], "a\n")).toBeUndefined();
  });
});
