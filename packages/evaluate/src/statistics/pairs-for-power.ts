import { scoreVariance } from "./paired-difference.ts";
import { normalQuantile } from "./quantiles.ts";

export interface PowerQuestion {
  /** The share of pairs with different outcomes. */
  readonly discordance: number;
  /** The true difference of the shares of successes. Default: 0, both are equally good. */
  readonly difference?: number;
  /** How much smaller the share of successes may be. */
  readonly margin: number;
  /** The probability of a wrong `shown`, on one side: 0.025 for an interval of 95 %. */
  readonly alpha: number;
  readonly power: number;
}

/**
 * The number of independent pairs with which non-inferiority is shown with a probability, by the asymptotic power of the
 * score test (Nam). Undefined if no number is enough: the true difference is at the margin or below.
 */
export function pairsForPower(question: PowerQuestion): number | undefined {
  const { margin, alpha, power, difference = 0 } = question;
  if (!(margin > 0)) throw new RangeError(`margin is ${margin}; it must be above 0`);
  const distance = margin + difference;
  if (distance <= 0) return undefined;
  // The outcomes must be able to differ as often as the difference needs.
  const discordance = Math.max(question.discordance, Math.abs(difference));
  const first = (discordance + difference) / 2;
  const atMargin = scoreVariance(
    { pairs: 1, onlyFirst: first, onlySecond: discordance - first },
    -margin,
  );
  const atTruth = discordance - difference ** 2;
  const root =
    normalQuantile(1 - alpha) * Math.sqrt(atMargin) + normalQuantile(power) * Math.sqrt(atTruth);
  return Math.ceil((root / distance) ** 2);
}
