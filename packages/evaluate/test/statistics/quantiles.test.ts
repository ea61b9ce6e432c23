import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  normalProbability,
  normalQuantile,
  studentQuantile,
} from "../../src/statistics/quantiles.ts";

// The expected values are those of SciPy 1.17.
describe("the normal distribution", () => {
  test.each([
    [1.959963984540054, 0.975],
    [-1, 0.15865525393145707],
    [0.5, 0.6914624612740131],
    [0, 0.5],
    [-5, 2.866515718791933e-7],
    [-8, 6.22096057427174e-16],
  ])("has at %f the probability %f", (z, probability) => {
    expect(normalProbability(z) / probability).toBeCloseTo(1, 10);
  });

  test.each([
    [0.975, 1.959963984540054],
    [0.9, 1.2815515655446004],
    [0.8, 0.8416212335729143],
    [0.001, -3.090232306167813],
    [1e-9, -5.9978070150076865],
  ])("has for %f the quantile %f", (probability, z) => {
    expect(normalQuantile(probability)).toBeCloseTo(z, 9);
  });

  test("has quantiles that are the inverse of its probabilities", () => {
    fc.assert(
      fc.property(fc.double({ min: -6, max: 6, noNaN: true }), (z) => {
        expect(normalQuantile(normalProbability(z))).toBeCloseTo(z, 5);
      }),
    );
  });

  test("has infinite quantiles at 0 and 1", () => {
    expect([normalQuantile(0), normalQuantile(1)]).toEqual([-Infinity, Infinity]);
  });
});

test.each([
  [0.975, 4, 2.7764451051977934],
  [0.975, 5, 2.5705818356363146],
  [0.975, 9, 2.262157162798205],
  [0.975, 23, 2.0686576104190486],
  [0.95, 4, 2.1318467863266495],
])("Student's quantile for %f with %i degrees of freedom is %f", (probability, degrees, value) => {
  expect(Math.abs(studentQuantile(probability, degrees) - value)).toBeLessThan(0.001);
});
