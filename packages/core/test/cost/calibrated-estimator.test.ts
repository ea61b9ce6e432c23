import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calibratedEstimator, rawTokens } from "../../src/cost/calibrated-estimator.ts";
import {
  calibrate,
  calibratedTokens,
  type Calibration,
  uncalibrated,
  type UsagePoint,
} from "../../src/cost/calibration.ts";

/** The usage that a provider reports whose counts differ from the estimate by a factor and an overhead. */
function pointsOf(estimates: readonly number[], truth: Calibration): readonly UsagePoint[] {
  return estimates.map((estimated) => ({
    estimated: { plain: estimated },
    reported: Math.round(estimated * truth.factor + truth.overhead),
  }));
}

const errorOf = (point: UsagePoint, calibration: Calibration): number =>
  Math.abs(calibratedTokens(calibration, point.estimated) + calibration.overhead - point.reported);

/** The usage of prompts that grow by some tokens of each class, by the provider's factor of each class. */
function grown(
  steps: readonly Readonly<Record<string, number>>[],
  truths: Readonly<Record<string, number>>,
  overhead: number,
): readonly UsagePoint[] {
  const estimated: Record<string, number> = {};
  return steps.map((step) => {
    for (const [name, tokens] of Object.entries(step))
      estimated[name] = (estimated[name] ?? 0) + tokens;
    const sums = Object.entries(estimated).map(([name, tokens]) => tokens * (truths[name] ?? 1));
    const reported = Math.round(sums.reduce((sum, tokens) => sum + tokens, overhead));
    return { estimated: { ...estimated }, reported };
  });
}

/** Prompts whose sizes differ enough to distinguish the factor from the overhead. */
const growing = fc
  .array(fc.integer({ min: 400, max: 4_000 }), { minLength: 4, maxLength: 16 })
  .map((steps) =>
    steps.map((_, index) => steps.slice(0, index + 1).reduce((a, b) => a + b, 1_000)),
  );

const truth = fc.record({
  factor: fc.double({ min: 0.6, max: 1.9, noNaN: true }),
  overhead: fc.integer({ min: 0, max: 20_000 }),
});

describe("the calibration of the estimate", () => {
  it("brings the estimate close to the reported tokens", () => {
    fc.assert(
      fc.property(growing, truth, (estimates, reality) => {
        const points = pointsOf(estimates, reality);

        const fitted = calibrate(points, uncalibrated);

        // The factor is rounded to 0.05 and the overhead to 100 tokens. Differences up to 300 tokens are ignored.
        const allowed = Math.max(...estimates) / 40 + 50 + 300 + 2;
        for (const point of points) {
          expect(errorOf(point, fitted)).toBeLessThan(allowed);
        }
      }),
    );
  });

  it("never makes the estimate worse by more than its rounding", () => {
    fc.assert(
      fc.property(growing, truth, (estimates, reality) => {
        const points = pointsOf(estimates, reality);
        const fitted = calibrate(points, uncalibrated);

        const sum = (calibration: Calibration): number =>
          points.reduce((total, point) => total + errorOf(point, calibration), 0);

        expect(sum(fitted)).toBeLessThanOrEqual(sum(uncalibrated) + points.length * 400);
      }),
    );
  });

  it("keeps the factor between 0.5 and 2 and the overhead at least 0", () => {
    const wild = fc.array(
      fc.record({
        estimated: fc.record({
          plain: fc.integer({ min: 1, max: 1e6 }),
          thai: fc.integer({ min: 0, max: 1e6 }),
        }),
        reported: fc.integer({ min: 1, max: 1e9 }),
      }),
      { maxLength: 16 },
    );
    fc.assert(
      fc.property(wild, (points) => {
        const { factor, factors = {}, overhead } = calibrate(points, uncalibrated);

        for (const each of [factor, ...Object.values(factors)]) {
          expect(each).toBeGreaterThanOrEqual(0.5);
          expect(each).toBeLessThanOrEqual(2);
        }
        expect(overhead).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it("does not change if the same usage is reported again", () => {
    fc.assert(
      fc.property(growing, truth, (estimates, reality) => {
        const points = pointsOf(estimates, reality);
        const fitted = calibrate(points, uncalibrated);

        expect(calibrate(points, fitted)).toBe(fitted);
      }),
    );
  });

  it("does not change the factor for prompts of one size", () => {
    const fitted = calibrate(
      pointsOf([5_000, 5_001, 5_002], { factor: 1.7, overhead: 0 }),
      uncalibrated,
    );

    expect(fitted.factor).toBe(1);
  });

  it("changes the factor for prompts of one size if all have fewer tokens than estimated", () => {
    const points = pointsOf([4_220, 4_240, 4_260, 4_280], { factor: 0.6, overhead: 0 });

    expect(calibrate(points, uncalibrated)).toEqual({ factor: 0.6, overhead: 0 });
  });

  it("ignores one exceptional report", () => {
    const odd = { estimated: { plain: 50_000 }, reported: 3_000 };
    const points = [odd, ...pointsOf([50_000, 50_200, 50_400], { factor: 1, overhead: 0 })];

    for (let count = 1; count <= points.length; count += 1)
      expect(calibrate(points.slice(0, count), uncalibrated).factor).toBe(1);
  });

  it("learns the factor of each class from texts of this class", () => {
    const steps = [
      { plain: 4_000 },
      { plain: 1_000 },
      { plain: 2_000 },
      { thai: 3_000, plain: 100 },
      { thai: 2_000 },
      { ethiopic: 4_000 },
      { ethiopic: 2_000, plain: 200 },
    ];
    const truths: Readonly<Record<string, number>> = { plain: 0.9, thai: 0.6, ethiopic: 1.2 };

    expect(calibrate(grown(steps, truths, 3_000), uncalibrated)).toEqual({
      factor: 0.9,
      overhead: 3_000,
      factors: { thai: 0.6, ethiopic: 1.2 },
    });
  });

  it("never lowers the estimate of a class by reports about another class", () => {
    const counts = fc.array(fc.integer({ min: 200, max: 9_000 }), { minLength: 3, maxLength: 15 });
    fc.assert(
      fc.property(counts, fc.double({ min: 0.5, max: 1, noNaN: true }), (sizes, ratio) => {
        const points = grown(
          sizes.map((plain) => ({ plain })),
          { plain: ratio },
          0,
        );
        const fitted = calibrate(points, uncalibrated);

        expect(calibratedTokens(fitted, { ethiopic: 1_000, fixed: 4 })).toBe(1_004);
      }),
    );
  });

  it("keeps the factor of a class whose text is no longer in the newest reports", () => {
    const known = { factor: 1, overhead: 0, factors: { thai: 0.6 } };
    const points = grown([{ plain: 5_000 }, { plain: 3_000 }, { plain: 900 }], { plain: 1.2 }, 0);

    expect(calibrate(points, known)).toEqual({ factor: 1.2, overhead: 0, factors: { thai: 0.6 } });
  });

  it("does not change without usage", () => {
    expect(calibrate([], uncalibrated)).toBe(uncalibrated);
  });
});

describe("the estimate", () => {
  it("grows with the text and with the factor", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: "grapheme" }),
        (one, other) => {
          const estimator = calibratedEstimator({ factor: 1.5, overhead: 0 });

          expect(rawTokens(one + other)).toBeGreaterThanOrEqual(rawTokens(one));
          expect(estimator.text(one)).toBeCloseTo(rawTokens(one) * 1.5, -1);
        },
      ),
    );
  });
});
