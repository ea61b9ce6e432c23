import * as fc from "fast-check";
import { hash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { expect, it } from "vitest";

import { packDictionary } from "../src/pack-dictionary.ts";
import { packText, unpackText } from "../src/packed-text.ts";

it("returns every text unchanged, packed or not", () => {
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

it("packs a long repeating text, and stores a text unpacked that would not become shorter", () => {
  const repeating = packText("the same words again ".repeat(200));
  const short = packText("the same words");

  expect(repeating).toBeInstanceOf(Uint8Array);
  expect(repeating.length).toBeLessThan(400);
  expect(short).toBe("the same words");
});

it("packs a typical row with the dictionary, and stores a short one unpacked", () => {
  const row =
    '{"type":"toolcall","locked":false,"content":0,"char_count":812,"tool":"read","args":0,"args_display":"read: a.ts",' +
    '"call_kind":"read","status":"ok","is_error":false,"provenance":{"origin":"toolcall","generator":"tool"}}';
  const short =
    '[3,["entries",[2,9,0,[1,"a1.2 40","r1.2.0 t3@1 whole 480"]],"memory",[3,["calls",[4,1]]]]]';

  expect(packText(row).length).toBeLessThan(row.length / 2);
  expect(packText(short)).toBe(short);
});

it("reads a short text that was packed, and a text that was packed without the dictionary", () => {
  const short = '[3,["calls",[4,1]]]';

  const packed = deflateRawSync(short, { dictionary: packDictionary });

  expect(unpackText(packed)).toBe(short);
  expect(unpackText(deflateRawSync("the same words ".repeat(20)))).toBe(
    "the same words ".repeat(20),
  );
});

it("has the dictionary that every packed row was packed with", () => {
  expect(hash("sha256", packDictionary)).toBe(
    "53a80451cafefdcaa041fa741715c9aba1bb46d992c718cc424eba9e23ccdef5",
  );
});

it("throws a damage error for bytes that were never packed and for a missing value", () => {
  expect(() => unpackText(new Uint8Array([1, 2, 3]))).toThrow("cannot be unpacked");
  expect(() => unpackText(null)).toThrow("missing");
});
