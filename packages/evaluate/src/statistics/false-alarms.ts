import { hasInterval } from "./bootstrap.ts";
import type { Comparison } from "./compare-pairs.ts";
import type { Estimate } from "./interval.ts";
import { wilsonInterval } from "./wilson-interval.ts";

/** How often one test reported a difference between two arms that are the same. */
export interface AlarmCount {
  /** `mcnemar`, `difference`, `worse`, or `ratio of` and the name of an amount. */
  readonly test: string;
  readonly alarms: number;
  readonly comparisons: number;
  /** The share of alarms, with Wilson's interval. */
  readonly rate: Estimate;
}

/**
 * Counts the false alarms in comparisons of an arm with itself (A/A), by test: a p of at most 1 - confidence, an interval
 * of the difference without 0, the answer `worse`, and intervals of ratios without 1. A comparison in which a test could
 * not be made does not count for it.
 */
export function falseAlarms(
  comparisons: readonly Comparison[],
  confidence: number,
): readonly AlarmCount[] {
  const counts = new Map<string, { alarms: number; comparisons: number }>();
  for (const comparison of comparisons)
    for (const [test, isAlarm] of alarmsOf(comparison, confidence)) {
      const count = counts.get(test) ?? { alarms: 0, comparisons: 0 };
      count.comparisons += 1;
      if (isAlarm) count.alarms += 1;
      counts.set(test, count);
    }
  return [...counts].flatMap(([test, count]) => {
    const rate = wilsonInterval(count.alarms, count.comparisons, { confidence });
    return rate === undefined ? [] : [{ test, ...count, rate }];
  });
}

function alarmsOf(
  { p, difference, nonInferiority, ratios }: Comparison,
  confidence: number,
): readonly (readonly [test: string, isAlarm: boolean])[] {
  if (difference === undefined) return [];
  // Rounding makes 1 - 0.95 a little more than 0.05.
  const level = 1 - confidence + 1e-12;
  return [
    ["mcnemar", p <= level],
    ["difference", isOutside(0, difference)],
    ["worse", nonInferiority === "worse"],
    ...Object.entries(ratios).flatMap(([name, ratio]) =>
      hasInterval(ratio) ? [[`ratio of ${name}`, isOutside(1, ratio)] as const] : [],
    ),
  ];
}

function isOutside(value: number, { lower, upper }: Estimate): boolean {
  return value < lower || value > upper;
}
