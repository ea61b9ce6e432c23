import type { Estimate } from "./interval.ts";
import { normalQuantile } from "./quantiles.ts";

/** Pairs of outcomes, counted. Counts can be fractions, after they were divided by a design effect. */
export interface PairedCounts {
  readonly pairs: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
}

/**
 * The share of successes of the first minus that of the second, with Tango's score interval.
 *
 * Tango's interval and not Newcombe's, because it is the set of differences that the score test of non-inferiority does
 * not reject: the interval and the answer about the margin cannot contradict each other, and the number of pairs for a
 * wished-for power follows from the same test. It also keeps its level where few pairs differ, or none. Without pairs
 * there is no estimate.
 */
export function pairedDifference(
  { pairs, onlyFirst, onlySecond }: PairedCounts,
  confidence: number,
): Estimate | undefined {
  if (pairs === 0) return undefined;
  const counts = { pairs, onlyFirst, onlySecond };
  const value = (onlyFirst - onlySecond) / pairs;
  const z = normalQuantile(0.5 + confidence / 2);
  return {
    value,
    lower: crossing(counts, z, { from: -1, to: value }),
    upper: crossing(counts, -z, { from: value, to: 1 }),
  };
}

/** The difference at which the score has a value; the score falls from `from` to `to`. */
function crossing(
  counts: PairedCounts,
  score: number,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  let low = from;
  let high = to;
  // 60 halvings of an interval of at most 2 reach the precision of the numbers.
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (differenceScore(counts, middle) > score) low = middle;
    else high = middle;
  }
  return score > 0 ? low : high;
}

/** The score statistic for the hypothesis that the difference has a value; about normal if it has. */
function differenceScore(
  { pairs, onlyFirst, onlySecond }: PairedCounts,
  difference: number,
): number {
  const gap = onlyFirst - onlySecond - pairs * difference;
  const variance = pairs * scoreVariance({ pairs, onlyFirst, onlySecond }, difference);
  // The variance is 0 only at the ends, -1 and 1.
  if (variance <= 0) return gap === 0 ? 0 : Math.sign(gap) * Number.POSITIVE_INFINITY;
  return gap / Math.sqrt(variance);
}

/** The variance of one pair's difference, with the proportions that are most likely if the difference has a value. */
export function scoreVariance(
  { pairs, onlyFirst, onlySecond }: PairedCounts,
  difference: number,
): number {
  const a = 2 * pairs;
  const b = -onlyFirst - onlySecond + (2 * pairs - onlyFirst + onlySecond) * difference;
  const c = -onlySecond * difference * (1 - difference);
  const second = (Math.sqrt(Math.max(0, b * b - 4 * a * c)) - b) / (2 * a);
  return 2 * second + difference * (1 - difference);
}

/**
 * `shown`: the loss is smaller than the margin. `worse`: it is not shown, and fewer successes are. `not-shown`: the pairs
 * do not answer the question.
 */
export type NonInferiority = "shown" | "not-shown" | "worse";

/** Whether the first is shown to be no worse than the second by the margin or more. */
export function nonInferiority(difference: Estimate, margin: number): NonInferiority {
  if (difference.lower > -margin) return "shown";
  return difference.upper < 0 ? "worse" : "not-shown";
}
