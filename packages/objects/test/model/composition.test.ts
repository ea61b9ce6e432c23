import * as fc from "fast-check";
import { expect, it } from "vitest";

import { composed, compositions } from "../../src/model/composition.ts";

it("composes a text to the same form, however its letters were composed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(composed(text.normalize("NFD"))).toBe(composed(text));
      expect(composed(composed(text))).toBe(composed(text));
    }),
  );
});

it("lists the forms of a text, the given one first and each one once", () => {
  expect(compositions("plan")).toEqual(["plan"]);
  expect(compositions("é")).toEqual(["é", "e\u0301"]);
  expect(compositions("e\u0301")).toEqual(["e\u0301", "é"]);
});
