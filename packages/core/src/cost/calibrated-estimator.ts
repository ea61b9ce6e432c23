import { defined } from "@self-context-manager/objects";

import { type Calibration, factorFor, uncalibrated } from "./calibration.ts";
import { mediaTokens } from "./media-tokens.ts";
import { tallyText, textClasses } from "./text-tally.ts";
import type { TokenEstimator } from "./token-estimator.ts";

/**
 * Returns an estimator that works without a tokenizer. It counts the characters of a text by classes, and multiplies the
 * tokens of each class by the calibration's factor. Files are counted by the rule of the model's provider. `model`: as
 * `provider/id`.
 */
export function calibratedEstimator(
  calibration: Calibration = uncalibrated,
  model?: string,
): TokenEstimator {
  const factors = textClasses.map((name) => factorFor(calibration, name));
  return {
    media: (facts) => mediaTokens(facts, model),
    text: (text) => Math.ceil(sumOf(tallyText(text), factors)),
    ...defined({ model }),
  };
}

/** Returns a function that makes estimators, and returns the last one again while the factors and the model are the same. */
export function keptEstimator(): (calibration: Calibration, model?: string) => TokenEstimator {
  let kept: { readonly of: Calibration; readonly estimator: TokenEstimator } | undefined;
  return (calibration, model) => {
    const { factor, factors } = calibration;
    const isSame = kept?.of.factor === factor && kept.of.factors === factors;
    if (kept !== undefined && isSame && kept.estimator.model === model) return kept.estimator;
    const estimator = calibratedEstimator(calibration, model);
    kept = { of: calibration, estimator };
    return estimator;
  };
}

/** Returns the estimate of a text's tokens before calibration. */
export function rawTokens(text: string): number {
  const tally = tallyText(text);
  let sum = 0;
  for (let index = 0; index < tally.length; index += 1) sum += tally[index] ?? 0;
  return sum;
}

function sumOf(tally: Readonly<Float64Array>, factors: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < tally.length; index += 1)
    sum += (tally[index] ?? 0) * (factors[index] ?? 1);
  return sum;
}

/** The estimator without calibration. Recorded counts must not change when the calibration does. */
export const rawEstimator: TokenEstimator = calibratedEstimator();
