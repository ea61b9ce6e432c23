import { hasInterval, type RatioEstimate } from "../statistics/bootstrap.ts";
import type { Estimate } from "../statistics/interval.ts";
import type { Measure } from "./measures.ts";

/** Three significant digits, without a power of ten. */
export function figure(value: number): string {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return "unknown";
  // Rounding first: 0.9996 is 1.00 and not 1.000.
  const size = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(3)))));
  // More digits than five are noise: a tiny amount is 0.00001 or less.
  return value.toFixed(Math.min(5, Math.max(0, 2 - size)));
}

/** A number that was chosen and not measured, without zeros at its end. */
export function exact(value: number): string {
  return String(Number(value.toFixed(6)));
}

/** An amount of a measure with its unit. */
export function amount(value: number, unit: Measure["unit"]): string {
  if (unit === "dollars") return `$${figure(value)}`;
  if (unit === "seconds") return `${figure(value)} s`;
  if (unit === "count" || value < 1000) return figure(value);
  return value < 999_500 ? `${figure(value / 1000)}k` : `${figure(value / 1_000_000)}M`;
}

/** A round amount on an axis. */
export function tick(value: number, unit: "dollars" | "tokens"): string {
  if (unit === "dollars") return `$${exact(value)}`;
  return value < 1_000_000 ? `${exact(value / 1000)}k` : `${exact(value / 1_000_000)}M`;
}

/** A share as per cent, with one decimal: the shares of 100 runs do not have more. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** A difference of shares in points, with its sign. */
export function points(difference: number): string {
  const value = (difference * 100).toFixed(1);
  if (Number(value) === 0) return "0.0";
  return difference > 0 ? `+${value}` : `−${value.slice(1)}`;
}

/** A p with two significant digits. */
export function probability(p: number): string {
  return p < 0.001 ? "< 0.001" : p > 0.995 ? "1.00" : p.toFixed(p < 0.01 ? 3 : 2);
}

/** An estimate with its bounds: `0.62 (0.55 to 0.70)`; or with the remark that it has none. */
export function withBounds(estimate: RatioEstimate, show: (value: number) => string): string {
  return hasInterval(estimate)
    ? `${show(estimate.value)} ${boundsOf(estimate, show)}`
    : `${show(estimate.value)} (no interval)`;
}

/** The bounds of an estimate: `(0.55 to 0.70)`. */
export function boundsOf({ lower, upper }: Estimate, show: (value: number) => string): string {
  return `(${show(lower)} to ${show(upper)})`;
}

/** A count with its noun. */
export function counted(count: number, one: string, more = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : more}`;
}
