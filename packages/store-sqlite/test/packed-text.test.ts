import * as fc from "fast-check";
import { expect, it } from "vitest";

import { packText, unpackText } from "../src/packed-text.ts";

it("gives back every text as it was, packed or not", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 200 }),
    fc.string({ unit: "grapheme", minLength: 2_000, maxLength: 6_000 }),
    fc.lorem({ maxCount: 900 }),
  );

  fc.assert(
    fc.property(text, (one) => {
      expect(unpackText(packText(one))).toBe(one.toWellFormed());
    }),
  );
});

it("packs a long text that repeats, and leaves one as it is that would not get shorter", () => {
  const repeating = packText("the same words again ".repeat(200));
  const short = packText("the same words");

  expect(repeating).toBeInstanceOf(Uint8Array);
  expect(repeating.length).toBeLessThan(400);
  expect(short).toBe("the same words");
});

it("says that a row is damaged where its bytes are not what was packed", () => {
  expect(() => unpackText(new Uint8Array([1, 2, 3]))).toThrow("cannot be unpacked");
  expect(() => unpackText(null)).toThrow("missing");
});
