import { expect, it } from "vitest";

import { madeOnce } from "../../src/index.ts";

it("makes the value of a key once", () => {
  const cache = new Map<string, number>();
  const made: string[] = [];
  const lengthOf = (key: string): number => {
    made.push(key);
    return key.length;
  };

  const lengths = ["ab", "abc", "ab"].map((key) => madeOnce(cache, key, lengthOf));

  expect(lengths).toEqual([2, 3, 2]);
  expect(made).toEqual(["ab", "abc"]);
});
