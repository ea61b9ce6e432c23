import { describe, expect, test } from "vitest";

import {
  amount,
  exact,
  figure,
  percent,
  points,
  probability,
  withBounds,
} from "../../src/report/amounts.ts";

describe("amounts", () => {
  test.each([
    [0, "0"],
    [0.6153, "0.615"],
    [12.345, "12.3"],
    [1234.5, "1235"],
    [0.000_012_3, "0.00001"],
    [Number.NaN, "unknown"],
  ])("%f is shown with three digits as %s", (value, text) => {
    expect(figure(value)).toBe(text);
  });

  test.each([
    [0.1234, "dollars", "$0.123"],
    [12_345, "tokens", "12.3k"],
    [999_700, "tokens", "1.00M"],
    [950, "tokens", "950"],
    [61.2, "seconds", "61.2 s"],
    [3, "count", "3.00"],
  ] as const)("%f %s are shown as %s", (value, unit, text) => {
    expect(amount(value, unit)).toBe(text);
  });

  test.each([
    [0.05, "+5.0"],
    [-0.1125, "−11.3"],
    [0.0001, "0.0"],
    [-0.0001, "0.0"],
  ])("a difference of %f is %s points", (difference, text) => {
    expect(points(difference)).toBe(text);
  });

  test.each([
    [0.000_01, "< 0.001"],
    [0.0042, "0.004"],
    [0.0412, "0.04"],
    [1, "1.00"],
  ])("a p of %f is shown as %s", (p, text) => {
    expect(probability(p)).toBe(text);
  });

  test("an estimate is shown with its bounds, or with the remark that it has none", () => {
    expect(withBounds({ value: 0.5, lower: 0.25, upper: 0.75 }, percent)).toBe(
      "50.0 % (25.0 % to 75.0 %)",
    );
    expect(withBounds({ value: 0.5 }, percent)).toBe("50.0 % (no interval)");
  });

  test("a chosen number has no zeros at its end", () => {
    expect([exact(0.05 * 100), exact(0.95 * 100), exact(2.5)]).toEqual(["5", "95", "2.5"]);
  });
});
