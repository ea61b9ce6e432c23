import type { Estimate } from "./interval.ts";
import { normalQuantile } from "./quantiles.ts";

/**
 * Wilson's score interval for a proportion. `designEffect` divides both counts: it is above 1 if the trials are in groups
 * whose members are alike. Without trials there is no estimate.
 */
export function wilsonInterval(
  successes: number,
  trials: number,
  options: { readonly confidence: number; readonly designEffect?: number },
): Estimate | undefined {
  if (trials === 0) return undefined;
  const n = trials / (options.designEffect ?? 1);
  const share = successes / trials;
  const z = normalQuantile(0.5 + options.confidence / 2);
  const scale = 1 + z ** 2 / n;
  const centre = (share + z ** 2 / (2 * n)) / scale;
  const half = (z * Math.sqrt((share * (1 - share)) / n + z ** 2 / (4 * n ** 2))) / scale;
  return {
    value: share,
    // Rounding could otherwise leave a bound a little inside the share of none or of all.
    lower: successes === 0 ? 0 : Math.max(0, centre - half),
    upper: successes === trials ? 1 : Math.min(1, centre + half),
  };
}
