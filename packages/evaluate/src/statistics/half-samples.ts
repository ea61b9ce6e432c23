import type { RatioEstimate, RatioPart } from "./bootstrap.ts";
import { randomNumbers } from "./random-numbers.ts";

/** Samples of clusters to which each cluster belongs with a probability of one half. They serve for all figures. */
export interface HalfSamples {
  readonly clusters: number;
  readonly count: number;
  /** 1 if a cluster belongs to a sample, by sample and then by cluster. */
  readonly members: Uint8Array;
}

/** With 10,000 samples or more, the limits of an interval change by less than a hundredth of its width with the seed. */
const usualCount = 10_000;

/** Draws half-samples, or takes every possible one if they are fewer. The same options give the same samples. */
export function halfSamplesOf(
  clusters: number,
  { count = usualCount, seed = 1 }: { readonly count?: number; readonly seed?: number } = {},
): HalfSamples {
  const all = 2 ** clusters - 1;
  if (all > count) {
    const random = randomNumbers(seed);
    const members = Uint8Array.from({ length: clusters * count }, () => (random() < 0.5 ? 1 : 0));
    return { clusters, count, members };
  }
  const members = new Uint8Array(clusters * all);
  for (let sample = 1; sample <= all; sample += 1)
    for (let cluster = 0; cluster < clusters; cluster += 1)
      members[(sample - 1) * clusters + cluster] = (sample >> cluster) & 1;
  return { clusters, count: all, members };
}

/**
 * The ratio of two paired sums over clusters with its interval: the quantiles of the ratio in half-samples, a bootstrap
 * with weights 0 and 2 (Hartigan's typical values). Undefined if the lower sum is 0; without an interval if there are too
 * few clusters for its level (fewer than 6 for 95 %), or if a bound is not finite.
 *
 * The interval contains the ratios ρ that the exact test by exchange does not reject: whether `over / ρ` and `under` of a
 * cluster could change places. So it keeps its level where both are the same, for any number of clusters and however
 * unequal they are. BCa does not: with amounts of tasks that differ as they usually do, by a factor of 10 and more, its
 * interval of 95 % leaves out the ratio 1 of equal arms in 10 of 100 evaluations with 24 tasks.
 */
export function pairedRatio(
  parts: readonly RatioPart[],
  samples: HalfSamples,
  confidence: number,
): RatioEstimate | undefined {
  const value = sumOf(parts, "over") / sumOf(parts, "under");
  if (!Number.isFinite(value)) return undefined;
  const ratios = sampledRatios(parts, samples);
  // The sample of all clusters and the empty one are one more place in the order.
  const rank = Math.floor(((1 - confidence) / 2) * (ratios.length + 1) + 1e-9);
  const lower = ratios[rank - 1];
  const upper = ratios[ratios.length - rank];
  return lower === undefined || upper === undefined || !Number.isFinite(upper)
    ? { value }
    : { value, lower, upper };
}

function sumOf(parts: readonly RatioPart[], side: keyof RatioPart): number {
  return parts.reduce((sum, part) => sum + part[side], 0);
}

/** The ratio of each sample, sorted. A sample in which both sums are 0 has none. */
function sampledRatios(parts: readonly RatioPart[], samples: HalfSamples): Float64Array {
  const { clusters, count, members } = samples;
  if (clusters !== parts.length)
    throw new RangeError(`half-samples are of ${clusters} clusters, not of ${parts.length}`);
  const overs = Float64Array.from(parts, ({ over }) => over);
  const unders = Float64Array.from(parts, ({ under }) => under);
  const ratios = new Float64Array(count);
  for (let sample = 0; sample < count; sample += 1) {
    let over = 0;
    let under = 0;
    const start = sample * clusters;
    for (let cluster = 0; cluster < clusters; cluster += 1) {
      const weight = members[start + cluster] ?? 0;
      over += weight * (overs[cluster] ?? 0);
      under += weight * (unders[cluster] ?? 0);
    }
    ratios[sample] = over / under;
  }
  return ratios.filter((ratio) => !Number.isNaN(ratio)).sort();
}
