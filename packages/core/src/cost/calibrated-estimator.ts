import type { TokenEstimator } from "./token-estimator.ts";

/** How a provider's own counts relate to the raw estimate: reported = factor × estimated + overhead. */
export type Calibration = {
  readonly factor: number;
  /** Tokens that the host adds and we do not see: system prompt, tool declarations. */
  readonly overhead: number;
};

/** No usage seen yet. */
export const uncalibrated: Calibration = { factor: 1, overhead: 0 };

/** A raw estimate and what the provider reported for the same prompt. */
export type UsagePoint = { readonly estimated: number; readonly reported: number };

/** What an image costs about, as the field commonly counts it. */
const imageTokens = 1_500;

/**
 * Estimates tokens without a tokenizer: letters and digits by four, other ASCII by two, everything else one by one;
 * then by the calibration's factor.
 */
export function calibratedEstimator(calibration: Calibration = uncalibrated): TokenEstimator {
  return {
    image: imageTokens,
    text: (text) => Math.ceil(rawTokens(text) * calibration.factor),
  };
}

/** The estimate before calibration. */
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
 * Fits a calibration to the last points by least squares. With points too alike to tell the two unknowns apart, the
 * factor stays and the overhead is fitted. Where less than nothing would be left for the overhead, there is none, and
 * the factor is that of the point in the middle. The result is rounded, and kept from wild values, so that it changes
 * seldom.
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

/** Fewer points say nothing of the factor: any one of them may be odd. */
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

/** Counts without calibration: what is recorded must not change when the calibration does. */
export const rawEstimator: TokenEstimator = calibratedEstimator();
