import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { shownText } from "../src/strategies/shown-arguments.ts";

describe("what a shorter form of arguments shows", () => {
  it("is everything outside of the marks", () => {
    const text = "a.ts\nold text\nnew text";

    expect(shownText(text, "a.ts\n[8 characters, now in f2 v1]\nnew text")).toEqual([
      { start: 0, end: 5 },
      { start: 13, end: 22 },
    ]);
    expect(shownText(text, "a.ts\nold\n[14 characters left out]")).toEqual([{ start: 0, end: 8 }]);
    expect(shownText(text, text)).toEqual([{ start: 0, end: text.length }]);
  });

  it("is nothing if the text is another one", () => {
    expect(shownText("one text", "two [5 characters left out]")).toBe("none");
  });

  it("is each piece that is kept, wherever the marks are", () => {
    const pieces = fc.array(fc.tuple(fc.boolean(), fc.string({ minLength: 1, unit: "grapheme" })));
    fc.assert(
      fc.property(pieces, (all) => {
        const text = all.map(([, piece]) => piece).join("");
        const shorter = all
          .map(([isKept, piece]) => (isKept ? piece : `[${piece.length} characters left out]`))
          .join("");

        const shown = shownText(text, shorter);
        const kept = typeof shown === "string" ? [] : shown;
        expect(kept.map(({ start, end }) => text.slice(start, end)).join("")).toBe(
          all.map(([isKept, piece]) => (isKept ? piece : "")).join(""),
        );
      }),
    );
  });
});
