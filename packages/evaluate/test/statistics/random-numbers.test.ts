import { expect, test } from "vitest";

import { randomNumbers } from "../../src/statistics/random-numbers.ts";

test("the same seed gives the same numbers", () => {
  const first = randomNumbers(7);
  const second = randomNumbers(7);

  for (let index = 0; index < 100; index += 1) expect(first()).toBe(second());
});

test("seeds that follow each other give numbers that are spread evenly", () => {
  const counts = Array.from({ length: 10 }, () => 0);
  for (let seed = 0; seed < 2000; seed += 1) {
    const bin = Math.floor(randomNumbers(seed)() * 10);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }

  expect(Math.min(...counts)).toBeGreaterThan(150);
  expect(Math.max(...counts)).toBeLessThan(250);
});
