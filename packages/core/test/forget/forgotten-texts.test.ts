import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { forgottenFilter, forgottenText } from "../../src/forget/forgotten-texts.ts";
import { markSpans } from "../../src/forget/mark-spans.ts";
import { growingFinder, textFinder } from "../../src/forget/text-forms.ts";

const key = "0123456789abcdef".repeat(4);
const mark = "[forgotten: 2026-11-30, a test]";

/** Texts with few different characters, so that beginnings of the wanted text come often. */
const text = fc.string({ unit: fc.constantFrom("a", "b", "ä", "\n", "🌲"), maxLength: 60 });
/** No shorter part can be forgotten. */
const part = fc.string({ unit: fc.constantFrom("a", "b", "ä", "🌲"), minLength: 4, maxLength: 12 });

describe("the filter of forgotten texts", () => {
  it("finds a forgotten span wherever it stands", () => {
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 4 }),
        text,
        text,
        (parts, before, after) => {
          const forgotten = parts.map((one) => forgottenText(key, "span", one, mark));
          const filter = forgottenFilter({ key, forgotten });

          const filtered = filter(`${before}${parts[0] ?? ""}${after}`);

          for (const one of parts)
            expect(filtered.split(mark).some((rest) => rest.includes(one))).toBe(false);
          expect(filter(filtered)).toBe(filtered);
        },
      ),
    );
  });

  it("returns a text without forgotten ones as it is", () => {
    fc.assert(
      fc.property(text, part, (one, span) => {
        fc.pre(!one.includes(span));
        const filter = forgottenFilter({
          key,
          forgotten: [forgottenText(key, "span", span, mark)],
        });

        expect(filter(one)).toBe(one);
      }),
    );
  });

  it("knows a whole text with other blanks around it, and not within another text", () => {
    const whole = "the whole output of a command, with a secret";
    const filter = forgottenFilter({ key, forgotten: [forgottenText(key, "whole", whole, mark)] });

    expect(filter(`${whole}\n`)).toBe(mark);
    expect(filter(`see: ${whole}`)).toBe(`see: ${whole}`);
  });

  it("keeps nothing that can be read", () => {
    const known = JSON.stringify(forgottenText(key, "span", "a secret text", mark));

    expect(known).not.toContain("secret");
    expect(forgottenText("f".repeat(64), "span", "a secret text", mark).hash).not.toBe(
      forgottenText(key, "span", "a secret text", mark).hash,
    );
  });
});

it("finds the same in a text that grows as in the whole text", () => {
  const piece = fc.string({
    unit: fc.constantFrom("a", "b", "c", "…", "abcabc", "abcab"),
    maxLength: 8,
  });
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
      const finder = textFinder(["abcabcabc", "bcabca"], mark);
      const find = growingFinder(finder);
      let whole = "";
      for (const one of pieces) {
        whole += one;
        expect(markSpans(whole, find(whole))).toBe(markSpans(whole, finder.find(whole)));
      }
    }),
    { numRuns: 2_000 },
  );
});

describe("marks", () => {
  it("keep the number of lines", () => {
    fc.assert(
      fc.property(text, fc.nat(60), fc.nat(60), (one, from, length) => {
        const start = Math.min(from, one.length);
        const end = Math.min(one.length, start + length);

        const marked = markSpans(one, [{ start, end, mark }]);

        expect(marked.split("\n")).toHaveLength(one.split("\n").length);
      }),
    );
  });

  it.each([
    ["whole", "key: abcdefghijklmnop end", `key: ${mark} end`],
    ["within the JSON of a text", String.raw`{"k":"a\"bcdefghijkl\n"}`, `{"k":"${mark}"}`],
    ["on one line", "note: one line and the next", `note: ${mark}`],
    ["cut at an ellipsis", "bash: run abcdefghij…", `bash: run ${mark}…`],
    ["after an ellipsis", "…hijklmnop is its end", `…${mark} is its end`],
    ["not a short beginning", "see abcdef… and", "see abcdef… and"],
    ["not a beginning at the end", "abcdefghijk", "abcdefghijk"],
    ["not within a mark", `${mark} and 2026-11-30`, `${mark} and ${mark}`],
  ])("find a text that is %s", (_, given, wanted) => {
    const texts = ["abcdefghijklmnop", 'a"bcdefghijkl\n', "one line\nand the next", "2026-11-30"];
    const { find } = textFinder(texts, mark);

    expect(markSpans(given, find(given))).toBe(wanted);
  });
});
