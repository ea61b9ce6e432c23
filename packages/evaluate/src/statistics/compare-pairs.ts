import type { RatioEstimate } from "./bootstrap.ts";
import { designEffect, type Group } from "./design-effect.ts";
import { exactMcnemar } from "./exact-mcnemar.ts";
import { type HalfSamples, pairedRatio } from "./half-samples.ts";
import type { Estimate } from "./interval.ts";
import { nonInferiority, type NonInferiority, pairedDifference } from "./paired-difference.ts";
import { pairsForPower } from "./pairs-for-power.ts";
import { wilsonInterval } from "./wilson-interval.ts";

/** A run as far as comparisons need it. An amount that is absent is unknown. */
export interface Outcome {
  readonly isSolved: boolean;
  readonly amounts: Readonly<Record<string, number | undefined>>;
}

/** One task with one seed, done by an arm and by the baseline. */
export interface OutcomePair {
  /** Pairs of one task are alike. */
  readonly task: string;
  readonly arm: Outcome;
  readonly baseline: Outcome;
}

export interface ComparisonOptions {
  /** The level of the intervals. */
  readonly confidence: number;
  /** How much smaller the share of solved runs may be. */
  readonly margin: number;
  /** The names of the amounts to compare. */
  readonly amounts: readonly string[];
  /** The half-samples of a number of tasks. */
  readonly halfSamples: (tasks: number) => HalfSamples;
}

/** An arm compared with the baseline by pairs. */
export interface Comparison {
  readonly pairs: number;
  readonly tasks: number;
  readonly both: number;
  readonly onlyArm: number;
  readonly onlyBaseline: number;
  readonly neither: number;
  /** The share of solved runs of the arm minus that of the baseline. Absent: there are no pairs. */
  readonly difference?: Estimate;
  /** The p of McNemar's exact test: whether the arms solve the same on these tasks. */
  readonly p: number;
  readonly nonInferiority?: NonInferiority;
  /** The share of pairs of which one run is solved. */
  readonly discordance?: Estimate;
  /** By how much the pairs of one task are alike. 1: not at all. */
  readonly designEffect: number;
  /**
   * The pairs with which non-inferiority would be shown with a power of 80 %, if the arms are equally good: for the
   * observed discordance and for the bounds of its interval. Absent without a margin: no number is enough.
   */
  readonly pairsNeeded?: Estimate;
  /** The sum of each amount of the arm over that of the baseline. Absent: it is unknown, or that of the baseline is 0. */
  readonly ratios: Readonly<Record<string, RatioEstimate>>;
}

/**
 * Compares an arm with the baseline by pairs.
 *
 * The pairs of one task are not independent if the arms differ on it. The intervals allow for it: that of the difference
 * by the design effect, those of ratios by sampling tasks. McNemar's test needs no such correction: its hypothesis is
 * that the arms do not differ on any of these tasks, and then the pairs are independent.
 */
export function comparePairs(
  pairs: readonly OutcomePair[],
  { confidence, margin, amounts, halfSamples }: ComparisonOptions,
): Comparison {
  const byTask = [...Map.groupBy(pairs, ({ task }) => task).values()];
  const count = (arm: boolean, baseline: boolean): number =>
    pairs.filter((pair) => pair.arm.isSolved === arm && pair.baseline.isSolved === baseline).length;
  const onlyArm = count(true, false);
  const onlyBaseline = count(false, true);
  const effect = designEffect(byTask.map((of) => groupOf(of.map(solvedMore))));
  const difference = pairedDifference(
    {
      pairs: pairs.length / effect,
      onlyFirst: onlyArm / effect,
      onlySecond: onlyBaseline / effect,
    },
    confidence,
  );
  const discordance = wilsonInterval(onlyArm + onlyBaseline, pairs.length, {
    confidence,
    designEffect: designEffect(
      byTask.map((of) => groupOf(of.map((pair) => solvedMore(pair) ** 2))),
    ),
  });
  const ratios: Record<string, RatioEstimate> = {};
  for (const name of amounts) {
    const ratio = amountRatio(byTask, name, { confidence, halfSamples });
    if (ratio !== undefined) ratios[name] = ratio;
  }
  return {
    pairs: pairs.length,
    tasks: byTask.length,
    both: count(true, true),
    onlyArm,
    onlyBaseline,
    neither: count(false, false),
    ...(difference !== undefined && {
      difference,
      nonInferiority: nonInferiority(difference, margin),
    }),
    p: exactMcnemar(onlyArm, onlyBaseline),
    ...(discordance !== undefined && { discordance }),
    ...(discordance !== undefined &&
      margin > 0 && { pairsNeeded: pairsNeeded(discordance, { margin, confidence, effect }) }),
    designEffect: effect,
    ratios,
  };
}

function solvedMore({ arm, baseline }: OutcomePair): number {
  return Number(arm.isSolved) - Number(baseline.isSolved);
}

/** The members of a group as the design effect needs them. */
export function groupOf(members: readonly number[]): Group {
  return {
    count: members.length,
    sum: members.reduce((sum, member) => sum + member, 0),
    squares: members.reduce((sum, member) => sum + member ** 2, 0),
  };
}

/** Only pairs in which both amounts are known count. */
function amountRatio(
  byTask: readonly (readonly OutcomePair[])[],
  name: string,
  { confidence, halfSamples }: Pick<ComparisonOptions, "confidence" | "halfSamples">,
): RatioEstimate | undefined {
  const parts = byTask.flatMap((pairs) => {
    const known = pairs.flatMap(({ arm, baseline }) => {
      const over = arm.amounts[name];
      const under = baseline.amounts[name];
      return over === undefined || under === undefined ? [] : [{ over, under }];
    });
    if (known.length === 0) return [];
    return [
      {
        over: known.reduce((sum, { over }) => sum + over, 0),
        under: known.reduce((sum, { under }) => sum + under, 0),
      },
    ];
  });
  return pairedRatio(parts, halfSamples(parts.length), confidence);
}

const wishedPower = 0.8;

function pairsNeeded(
  discordance: Estimate,
  options: { readonly margin: number; readonly confidence: number; readonly effect: number },
): Estimate {
  const { margin, confidence, effect } = options;
  const needed = (share: number): number => {
    const alpha = (1 - confidence) / 2;
    const pairs = pairsForPower({ discordance: share, margin, alpha, power: wishedPower });
    return Math.ceil((pairs ?? Number.NaN) * effect);
  };
  return {
    value: needed(discordance.value),
    lower: needed(discordance.lower),
    upper: needed(discordance.upper),
  };
}
