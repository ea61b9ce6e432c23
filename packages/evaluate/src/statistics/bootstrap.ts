import type { Estimate } from "./interval.ts";
import { normalProbability, normalQuantile, studentQuantile } from "./quantiles.ts";
import { randomNumbers } from "./random-numbers.ts";

/** The indices of the clusters of each resample. They are drawn once and serve for all figures of the same clusters. */
export interface Resamples {
  readonly clusters: number;
  readonly count: number;
  readonly draws: Uint32Array;
}

/** With fewer clusters than this, the resamples are too alike for an interval. */
const fewestClusters = 5;

/** Draws resamples of clusters. The same options give the same draws. */
export function resamplesOf(
  clusters: number,
  { count = 10_000, seed = 1 }: { readonly count?: number; readonly seed?: number } = {},
): Resamples {
  const random = randomNumbers(seed);
  const draws = new Uint32Array(clusters * count);
  for (let index = 0; index < draws.length; index += 1)
    draws[index] = Math.floor(random() * clusters);
  return { clusters, count, draws };
}

/** The sums of two quantities over one cluster, such as the dollars and the number of the runs of one task. */
export interface RatioPart {
  readonly over: number;
  readonly under: number;
}

/** A ratio; without bounds if there are too few clusters, or if a bound is not finite. */
export type RatioEstimate = Estimate | { readonly value: number };

/**
 * The ratio of two sums over clusters, such as dollars for each run, with its bootstrap interval. Undefined if the lower
 * sum is 0. For paired amounts of two arms see `pairedRatio`.
 *
 * The interval is bias-corrected and accelerated (BCa). Its level is widened for the number of clusters, as Hesterberg
 * proposes: resamples of n clusters vary less than new clusters would, by the factor √((n − 1) / n), and their tails are
 * normal where those of few clusters are Student's.
 */
export function ratioOfSums(
  parts: readonly RatioPart[],
  resamples: Resamples,
  confidence: number,
): RatioEstimate | undefined {
  const value = ratioIn(parts);
  if (!Number.isFinite(value)) return undefined;
  const { length } = parts;
  if (length < fewestClusters) return { value };
  const ratios = resampledRatios(parts, resamples);
  const below = ratios.filter((ratio) => ratio < value).length;
  const equal = ratios.filter((ratio) => ratio === value).length;
  const share = (below + equal / 2) / ratios.length;
  // All resamples on one side: the value is as far outside as this number of resamples can show.
  const least = 0.5 / ratios.length;
  const bias = normalQuantile(Math.min(1 - least, Math.max(least, share)));
  const acceleration = accelerationOf(parts);
  const z = Math.sqrt(length / (length - 1)) * studentQuantile(0.5 + confidence / 2, length - 1);
  const bound = (side: number): number => {
    const shifted = bias + side;
    const probability = normalProbability(bias + shifted / (1 - acceleration * shifted));
    return quantileOf(ratios, probability);
  };
  const lower = bound(-z);
  const upper = bound(z);
  return Number.isFinite(lower) && Number.isFinite(upper) ? { value, lower, upper } : { value };
}

/** Whether a ratio has an interval. */
export function hasInterval(ratio: RatioEstimate): ratio is Estimate {
  return "lower" in ratio;
}

function ratioIn(parts: readonly RatioPart[]): number {
  let over = 0;
  let under = 0;
  for (const part of parts) {
    over += part.over;
    under += part.under;
  }
  return over / under;
}

/** The ratio of each resample, sorted. A resample in which both sums are 0 has none. */
function resampledRatios(parts: readonly RatioPart[], resamples: Resamples): Float64Array {
  const { clusters, count, draws } = resamples;
  if (clusters !== parts.length)
    throw new RangeError(`resamples are of ${clusters} clusters, not of ${parts.length}`);
  const overs = Float64Array.from(parts, ({ over }) => over);
  const unders = Float64Array.from(parts, ({ under }) => under);
  const ratios = new Float64Array(count);
  for (let resample = 0; resample < count; resample += 1) {
    let over = 0;
    let under = 0;
    const end = (resample + 1) * clusters;
    for (let at = resample * clusters; at < end; at += 1) {
      const drawn = draws[at] ?? 0;
      over += overs[drawn] ?? 0;
      under += unders[drawn] ?? 0;
    }
    ratios[resample] = over / under;
  }
  return ratios.filter((ratio) => !Number.isNaN(ratio)).sort();
}

/** How fast the spread of the ratio changes with its value, from the ratios with each cluster left out. */
function accelerationOf(parts: readonly RatioPart[]): number {
  const over = parts.reduce((sum, part) => sum + part.over, 0);
  const under = parts.reduce((sum, part) => sum + part.under, 0);
  const left = parts
    .map((part) => (over - part.over) / (under - part.under))
    .filter((ratio) => Number.isFinite(ratio));
  const mean = left.reduce((sum, ratio) => sum + ratio, 0) / left.length;
  let squares = 0;
  let cubes = 0;
  for (const ratio of left) {
    squares += (mean - ratio) ** 2;
    cubes += (mean - ratio) ** 3;
  }
  // Equal ratios differ by rounding alone.
  if (squares <= (1e-12 * mean) ** 2) return 0;
  return cubes / (6 * squares ** 1.5);
}

/** The value below which a share of sorted values lies, between two of them by their distance. */
function quantileOf(sorted: Float64Array, probability: number): number {
  const at = Math.min(sorted.length - 1, Math.max(0, probability * sorted.length - 0.5));
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low === high ? low : low + (high - low) * (at - Math.floor(at));
}
