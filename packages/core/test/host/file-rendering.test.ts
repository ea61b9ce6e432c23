import * as fc from "fast-check";
import { linesOf } from "@self-context-manager/objects";
import { describe, expect, test } from "vitest";
import { renderedLines } from "../../src/host/file-rendering.ts";

const text = "one\ntwo\nthree\nfour\n";
const notice = /\n\n\[\d+ more lines\]$/u;

describe("the lines of a file that a result shows", () => {
  test.each([
    ["the whole text", text, {}],
    ["the text without its last line break", text.trimEnd(), {}],
    ["the first lines", "one\ntwo", { range: { from: 1, to: 2 } }],
    ["the first lines with their line break", "one\ntwo\n", { range: { from: 1, to: 2 } }],
  ])("are found in %s", (_, result, lines) => {
    expect(renderedLines(result, text, {})).toEqual(lines);
  });

  test("begin at the line that the call named", () => {
    expect(renderedLines("two\nthree", text, { offset: 2 })).toEqual({ range: { from: 2, to: 3 } });
    expect(renderedLines("two", text, { line: 2 }, { firstLine: "line" })).toEqual({
      range: { from: 2, to: 2 },
    });
    expect(renderedLines("two", text, { offset: 9 })).toBeUndefined();
    expect(renderedLines("one", text, { offset: -3 })).toEqual({ range: { from: 1, to: 1 } });
  });

  test("end before the host's own notice", () => {
    const result = "one\ntwo\n\n[2 more lines]";

    expect(renderedLines(result, text, {}, { notice })).toEqual({ range: { from: 1, to: 2 } });
    expect(renderedLines(result, text, {})).toBeUndefined();
    expect(renderedLines(`${result}\nand a hint`, text, {}, { notice })).toBeUndefined();
  });

  test.each([
    ["the file ends", "one\ntwo\n\n[2 more lines]", {}],
    ["the shown lines end", "one\ntwo\n\n[2 more lines]\nlast\n", { range: { from: 1, to: 4 } }],
  ])("end with a text like the host's notice if %s so", (_, file, lines) => {
    expect(renderedLines("one\ntwo\n\n[2 more lines]", file, {}, { notice })).toEqual(lines);
  });

  test("stand after the host's line numbers", () => {
    const linePrefix = /^ *\d+\t/u;

    expect(renderedLines("1\tone\n2\ttwo", text, {}, { linePrefix })).toEqual({
      range: { from: 1, to: 2 },
    });
    expect(renderedLines("1\tone\ntwo", text, {}, { linePrefix })).toBeUndefined();
  });

  test.each([
    ["a masked word", "one\n[REDACTED]\nthree\nfour\n"],
    ["a hint", `${text}\nRemember the rules.`],
    ["the beginning of a line", "one\ntw"],
    ["another text", "uno\n"],
    ["no text", ""],
  ])("are not found in a result with %s", (_, result) => {
    expect(renderedLines(result, text, {})).toBeUndefined();
  });

  test("are all lines of an empty file", () => {
    expect(renderedLines("", "", {})).toEqual({});
  });

  test("contain every character of the result", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "é", " ", "\r"), maxLength: 3 });
    const file = fc.array(line, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(file, fc.integer({ min: 1, max: 9 }), fc.nat(9), (lines, offset, count) => {
        const whole = lines.join("\n");
        const shown = lines.slice(offset - 1, offset - 1 + count).join("\n");
        const found = renderedLines(shown, whole, { offset });

        if (found === undefined) return;
        expect(
          (found.range === undefined ? whole : linesOf(whole, found.range)).startsWith(shown),
        ).toBe(true);
      }),
    );
  });
});
