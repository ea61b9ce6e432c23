import { expect, it } from "vitest";
import {
  readPlace,
  readReferrerPosition,
  writeReferrerPosition,
} from "../../src/store-kit/page-position.ts";

it("reads a place and refuses every other text", () => {
  expect(readPlace("12")).toBe(12);
  for (const text of ["", "-1", "1.5", "1e3", " 1", "1".repeat(16)]) {
    expect(() => readPlace(text)).toThrow(RangeError);
  }
});

it("reads the position of a referrer and refuses other JSON", () => {
  expect(readReferrerPosition(writeReferrerPosition(7, '/a"/~1'))).toEqual([7, '/a"/~1']);
  for (const text of ["1", "[1]", '["1","/a"]', "{}"]) {
    expect(() => readReferrerPosition(text)).toThrow(RangeError);
  }
});
