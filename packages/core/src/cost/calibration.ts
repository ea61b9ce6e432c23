import { defined } from "@self-context-manager/objects";

import { type ClassTokens, totalOf } from "./class-tokens.ts";

/** The relation of a provider's token counts to the raw estimate: reported = factor × estimated + overhead. */
export type Calibration = {
  /** The factor of prose and code in ASCII. */
  readonly factor: number;
  /** Tokens that the host adds and the context manager does not see: system prompt and tool declarations. */
  readonly overhead: number;
  /** The factors of other classes of text, if they were measured. */
  readonly factors?: Readonly<Record<string, number>>;
};

/** The calibration before any usage is reported. */
export const uncalibrated: Calibration = { factor: 1, overhead: 0 };

/** A raw estimate and the tokens that the provider reported for the same prompt. */
export type UsagePoint = { readonly estimated: ClassTokens; readonly reported: number };

/**
 * Returns the factor of a class of text. Without a measurement it is that of prose and code, but at least 1: one class
 * never lowers the estimate of another.
 */
export function factorFor({ factor, factors }: Calibration, name: string): number {
  if (name === "fixed") return 1;
  return name === "plain" ? factor : (factors?.[name] ?? Math.max(1, factor));
}

/** Returns the calibrated tokens of messages. The overhead is not among them. */
export function calibratedTokens(calibration: Calibration, tokens: ClassTokens): number {
  return Object.entries(tokens).reduce(
    (sum, [name, each]) => sum + each * factorFor(calibration, name),
    0,
  );
}

/** Returns the ratio of calibrated to raw tokens for a mixture of classes; for none, that of prose and code. */
export function ratioOf(calibration: Calibration, tokens: ClassTokens): number {
  const total = totalOf(tokens);
  return total === 0 ? calibration.factor : calibratedTokens(calibration, tokens) / total;
}

/**
 * Returns the most likely tokens of messages, to compare two lists of them. A class without a measurement has the factor
 * of prose and code, also where a limit needs the larger estimate of `calibratedTokens`.
 */
export function likelyTokens({ factor, factors }: Calibration, tokens: ClassTokens): number {
  return Object.entries(tokens).reduce(
    (sum, [name, each]) => sum + each * (name === "fixed" ? 1 : (factors?.[name] ?? factor)),
    0,
  );
}

/**
 * Fits a calibration to the last points. A class is measured by the differences of consecutive points that consist
 * mostly of its text, so the overhead and the other classes do not disturb it. A class without two such differences
 * keeps its factor. The overhead is the median rest. If it would be negative, it is 0, and the largest class gets the
 * median ratio of the points. The result is rounded and limited to plausible values, so that it
 * changes rarely.
 */
export function calibrate(points: readonly UsagePoint[], current: Calibration): Calibration {
  if (points.length === 0) return current;
  const changes = changesOf(points);
  const names = classesIn(points);
  let fitted = current;
  for (const name of names) {
    const factor = slopeOf(name, changes, fitted);
    if (factor !== undefined) fitted = withFactor(fitted, name, factor);
  }
  const rest = median(points.map((point) => restOf(point, fitted)));
  const isLess = points.length >= fewestPoints && rest < 0;
  const [largest] = names;
  if (isLess && largest !== undefined) {
    const ratios = points.map((point) => ratioIn(point, largest, fitted));
    fitted = withFactor(fitted, largest, median(ratios));
  }
  return rounded(fitted, Math.max(0, rest), current);
}

/** Number of points below which a factor stays, because any one of them may be an exception. */
const fewestPoints = 3;

/** Tokens that a difference of two points must have, and the share of them that must be of one class. */
const leastChange = 100;
const leastShare = 0.5;

/** Ratios of a report to its estimate that no tokenizer has: the report is an exception. */
const plausible = { least: 0.25, most: 4 };

/** The difference of the tokens of two consecutive points. */
interface Change {
  readonly estimated: ClassTokens;
  readonly reported: number;
  /** Sum of the differences of all classes, each without its sign. */
  readonly size: number;
}

function changesOf(points: readonly UsagePoint[]): readonly Change[] {
  return points.slice(1).map((point, index) => {
    const before = points[index] ?? point;
    const names = Object.keys({ ...before.estimated, ...point.estimated });
    const estimated = Object.fromEntries(
      names.map((name) => [name, (point.estimated[name] ?? 0) - (before.estimated[name] ?? 0)]),
    );
    const size = Object.values(estimated).reduce((sum, each) => sum + Math.abs(each), 0);
    return { estimated, reported: point.reported - before.reported, size };
  });
}

/** Returns the classes of text in points, the largest first. */
function classesIn(points: readonly UsagePoint[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const { estimated } of points)
    for (const [name, tokens] of Object.entries(estimated))
      if (name !== "fixed") sums.set(name, (sums.get(name) ?? 0) + tokens);
  return [...sums].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
}

/** Returns the factor of a class by the changes that consist mostly of it; undefined if they are too few. */
function slopeOf(
  name: string,
  changes: readonly Change[],
  calibration: Calibration,
): number | undefined {
  let count = 0;
  let estimated = 0;
  let reported = 0;
  for (const change of changes) {
    const own = change.estimated[name] ?? 0;
    if (Math.abs(own) < Math.max(leastChange, leastShare * change.size)) continue;
    const ratio = ratioIn(change, name, calibration);
    if (ratio < plausible.least || ratio > plausible.most) continue;
    count += 1;
    estimated += Math.abs(own);
    reported += Math.abs(own) * ratio;
  }
  return count < fewestPoints - 1 ? undefined : reported / estimated;
}

/** Returns the reported tokens that are left for one class, for each of its estimated tokens. */
function ratioIn(point: UsagePoint, name: string, calibration: Calibration): number {
  const own = point.estimated[name] ?? 0;
  if (own === 0) return 1;
  return (restOf(point, calibration) + own * factorFor(calibration, name)) / own;
}

/** Returns the reported tokens that are not estimated. */
function restOf({ estimated, reported }: UsagePoint, calibration: Calibration): number {
  return reported - calibratedTokens(calibration, estimated);
}

function withFactor(calibration: Calibration, name: string, factor: number): Calibration {
  const limited = Math.min(2, Math.max(0.5, factor));
  if (name === "plain") return { ...calibration, factor: limited };
  return { ...calibration, factors: { ...calibration.factors, [name]: limited } };
}

function rounded(fitted: Calibration, overhead: number, current: Calibration): Calibration {
  const factors = Object.fromEntries(
    Object.entries(fitted.factors ?? {}).map(([name, factor]) => [name, toStep(factor)]),
  );
  const isSame =
    toStep(fitted.factor) === current.factor &&
    Object.entries(factors).every(([name, factor]) => factor === current.factors?.[name]);
  if (isSame && Math.abs(overhead - current.overhead) <= 300) return current;
  const kept = isSame ? current.factors : factors;
  return {
    factor: toStep(fitted.factor),
    overhead: Math.round(overhead / 100) * 100,
    ...defined({
      factors: kept === undefined || Object.keys(kept).length === 0 ? undefined : kept,
    }),
  };
}

function toStep(factor: number): number {
  return Math.round(factor * 20) / 20;
}

/** Returns the middle value; of an even number, the upper one of the two. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
