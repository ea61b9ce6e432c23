import type { ModelPrices, PriceRates } from "../model/model-access.ts";
import type { CallUsage } from "../model/run-record.ts";

/** The most tokens that a call can use. */
export interface UsageBound {
  readonly input: number;
  readonly output: number;
  /** Whether the request asks for a cache that lasts an hour. */
  readonly isLongCache: boolean;
}

/** Prices are in dollars per million tokens. */
const million = 1_000_000;

/** Writing tokens into a cache that lasts an hour costs this multiple of the input price. */
const longWriteFactor = 2;

/** Returns what a call cost, in dollars. */
export function dollarsOf(usage: CallUsage, prices: ModelPrices): number {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const rates = prices.tiers?.findLast((tier) => prompt > tier.inputTokensAbove) ?? prices;
  const long = usage.cacheWriteLong ?? 0;
  return (
    (usage.input * rates.input +
      usage.cacheRead * rates.cacheRead +
      (usage.cacheWrite - long) * rates.cacheWrite +
      long * rates.input * longWriteFactor +
      usage.output * rates.output) /
    million
  );
}

/** Returns the most that a call can cost, in dollars: all input at the dearest price of input, in the dearest tier. */
export function priceBound(bound: UsageBound, prices: ModelPrices): number {
  const dearest = (rates: PriceRates): number => {
    const long = bound.isLongCache ? rates.input * longWriteFactor : 0;
    const input = Math.max(rates.input, rates.cacheRead, rates.cacheWrite, long);
    return (bound.input * input + bound.output * rates.output) / million;
  };
  return Math.max(dearest(prices), ...(prices.tiers ?? []).map(dearest));
}
