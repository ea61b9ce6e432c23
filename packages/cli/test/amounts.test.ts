import { expect, test } from "vitest";

import { shortCount } from "../src/format/amounts.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1.0k"],
  [9949, "9.9k"],
  [9951, "10k"],
  [999_499, "999k"],
  [999_500, "1.0M"],
  [5_600_000, "5.6M"],
  [2e15, "2000T"],
])("%d is written as %s", (count, text) => {
  expect(shortCount(count)).toBe(text);
});
