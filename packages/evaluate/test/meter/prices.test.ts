import { expect, it } from "vitest";

import { dollarsOf, priceBound } from "../../src/meter/prices.ts";

const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const million = 1_000_000;

it("counts each class of tokens by its price", () => {
  const usage = { input: million, cacheRead: 2 * million, cacheWrite: million, output: million };

  expect(dollarsOf(usage, prices)).toBeCloseTo(3 + 0.6 + 3.75 + 15);
});

it("counts tokens that are cached for an hour twice as dear as input", () => {
  const usage = { input: 0, cacheRead: 0, cacheWrite: million, cacheWriteLong: million, output: 0 };

  expect(dollarsOf(usage, prices)).toBeCloseTo(6);
});

it("counts a whole request by the last tier that its input is above", () => {
  const tiered = {
    ...prices,
    tiers: [
      { ...prices, input: 6, inputTokensAbove: 200_000 },
      { ...prices, input: 9, inputTokensAbove: 400_000 },
    ],
  };
  const usage = (input: number) => ({ input, cacheRead: 0, cacheWrite: 0, output: 0 });

  expect(dollarsOf(usage(200_000), tiered)).toBeCloseTo(0.6);
  expect(dollarsOf(usage(200_001), tiered)).toBeCloseTo(1.2);
  expect(dollarsOf(usage(500_000), tiered)).toBeCloseTo(4.5);
});

it("bounds a call by the dearest price of input, in the dearest tier", () => {
  const bound = { input: million, output: million, isLongCache: false };
  const tiers = [{ ...prices, cacheWrite: 7, inputTokensAbove: 5 * million }];

  expect(priceBound(bound, prices)).toBeCloseTo(3.75 + 15);
  expect(priceBound(bound, { ...prices, tiers })).toBeCloseTo(7 + 15);
  expect(priceBound({ ...bound, isLongCache: true }, prices)).toBeCloseTo(6 + 15);
});
