import { defined } from "@self-context-manager/objects";

import { mediaTokens } from "./media-tokens.ts";
import type { TokenEstimator } from "./token-estimator.ts";

/** The relation of a provider's token counts to the raw estimate: reported = factor × estimated + overhead. */
export type Calibration = {
  readonly factor: number;
  /** Tokens that the host adds and the context manager does not see: system prompt and tool declarations. */
  readonly overhead: number;
};

/** The calibration before any usage is reported. */
export const uncalibrated: Calibration = { factor: 1, overhead: 0 };

/** A raw estimate and the tokens that the provider reported for the same prompt. */
export type UsagePoint = { readonly estimated: number; readonly reported: number };

/**
 * Returns an estimator that works without a tokenizer. It counts letters and spaces at 4.4 to a token, other ASCII at
 * two to a token, and each other character as 0.8 tokens. The sum is multiplied by the calibration's factor. Files are
 * counted by the rule of the model's provider. `model`: as `provider/id`.
 */
export function calibratedEstimator(
  calibration: Calibration = uncalibrated,
  model?: string,
): TokenEstimator {
  return {
    media: (facts) => mediaTokens(facts, model),
    text: (text) => Math.ceil(rawTokens(text) * calibration.factor),
    ...defined({ model }),
  };
}

/** Returns the estimate of a text's tokens before calibration. */
export function rawTokens(text: string): number {
  let word = 0;
  let mark = 0;
  let wide = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 32) word += 1;
    else if (code < 128) mark += 1;
    else wide += 1;
  }
  return word / 4.4 + mark / 2 + wide * 0.8;
}

/**
 * Fits a calibration to the last points by least squares. If the points are too similar to determine both unknowns, the
 * factor stays and only the overhead is fitted. If the overhead would be negative, it is 0 and the factor is the median
 * ratio of the points. The result is rounded and limited to plausible values, so that it changes rarely.
 */
export function calibrate(points: readonly UsagePoint[], current: Calibration): Calibration {
  if (points.length === 0) return current;
  const meanX = mean(points.map((point) => point.estimated));
  const meanY = mean(points.map((point) => point.reported));
  const spread = mean(points.map((point) => (point.estimated - meanX) ** 2));
  const covariance = mean(
    points.map((point) => (point.estimated - meanX) * (point.reported - meanY)),
  );
  const isEnough = points.length >= fewestPoints;
  const isSlopeKnown = isEnough && Math.sqrt(spread) > 0.05 * meanX && spread > 100;
  const slope = isSlopeKnown ? clamp(covariance / spread, 0.5, 2) : current.factor;
  const overhead = Math.max(0, meanY - slope * meanX);
  const isLess = isEnough && meanY < slope * meanX;
  const factor = isLess ? clamp(middleRatio(points), 0.5, 2) : slope;
  const next = { factor: Math.round(factor * 20) / 20, overhead: Math.round(overhead / 100) * 100 };
  return next.factor === current.factor && Math.abs(next.overhead - current.overhead) <= 300
    ? current
    : next;
}

/** Number of points below which the factor stays, because any one of them may be an exception. */
const fewestPoints = 3;

function middleRatio(points: readonly UsagePoint[]): number {
  const ratios = points.map(({ estimated, reported }) => reported / estimated);
  return ratios.toSorted((a, b) => a - b)[ratios.length >> 1] ?? 1;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** The estimator without calibration. Recorded counts must not change when the calibration does. */
export const rawEstimator: TokenEstimator = calibratedEstimator();
