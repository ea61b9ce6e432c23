import * as fc from "fast-check";
import { linesOf } from "@self-context-manager/objects";
import { expect, test } from "vitest";

import { fetchedLines } from "../src/measure/fetched-lines.ts";
import { countText } from "../src/measure/tokens.ts";

/** Texts with many lines and a range in each. */
const texts = fc
  .array(fc.constantFrom("", "}", "const alpha = beta(gamma);", "word ".repeat(90)), {
    minLength: 1,
    maxLength: 150,
  })
  .chain((lines) => {
    const text = `${lines.join("\n")}x`;
    const place = fc.integer({ min: 0, max: text.length - 1 });
    return fc.tuple(fc.constant(text), place, place);
  });

test("for any text, the lines contain the wanted range and 5 lines more on each side", () => {
  fc.assert(
    fc.property(texts, ([text, one, other]) => {
      const wanted = { start: Math.min(one, other), end: Math.max(one, other) + 1 };
      const found = fetchedLines({ text }, [wanted]);
      if (found === undefined) return;
      const count = text.split("\n").length;

      expect(found.from).toBeLessThanOrEqual(Math.max(1, lineAt(text, wanted.start) - 5));
      expect(found.to).toBeGreaterThanOrEqual(Math.min(count, lineAt(text, wanted.end - 1) + 5));
      expect(text.slice(found.start, found.end)).toBe(linesOf(text, found));
    }),
  );
});

test("for any text, the lines have at least 500 tokens, and no more than the text", () => {
  fc.assert(
    fc.property(texts, ([text, one, other]) => {
      const wanted = { start: Math.min(one, other), end: Math.max(one, other) + 1 };
      const found = fetchedLines({ text }, [wanted]);
      if (found === undefined) return;

      expect(found.tokens).toBe(countText(text.slice(found.start, found.end)));
      expect(found.tokens).toBeGreaterThanOrEqual(500);
      expect(found.tokens).toBeLessThanOrEqual(countText(text));
    }),
  );
});

test("a short text is asked for whole", () => {
  expect(fetchedLines({ text: "one\n".repeat(30) }, [{ start: 40, end: 43 }])).toBeUndefined();
});

test("the lines reach from the first wanted range to the last", () => {
  const text = "a line of a long text with some words\n".repeat(300);
  const [first, last] = [text.indexOf("\n", 2000) + 1, text.indexOf("\n", 8000) + 1];

  const found = fetchedLines({ text }, [
    { start: last, end: last + 6 },
    { start: first, end: first + 6 },
  ]);

  expect([found?.from, found?.to]).toEqual([lineAt(text, first) - 5, lineAt(text, last) + 5]);
});

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
