import { outputPrice, type ReplayPrices } from "./prices.ts";
import type { CachedTokens, CallTrace } from "./trace.ts";

/** How the part of a prompt that is not in the cache is billed. */
export type Billing =
  /** The prompt is written to the cache up to its end. */
  | "to-the-end"
  /**
   * Only the part that the next call reads is written, and the rest is plain input; for prompts that change with each
   * call. Breakpoints are wherever that part ends. If the model fetched objects before a call, the prompts of these fetches
   * and the fetched objects are in the cache, and the call reads them from there.
   */
  | "what-the-next-reads"
  /** Sent blocks are read from the cache at any place, so leaving out a block costs nothing. This is a lower bound. */
  | "leaving-is-free";

/** Output tokens of the model's answer that asks for an object. */
const askingTokens = 120;
/** Tokens that asking for an object adds to the prompt, apart from the object. */
export const askedOverhead: number = 140;

/** The steps in which a cache without breakpoints is read, in tokens. */
const step = 128;

/** The tokens of a prompt that were in the cache. */
export function tokensFound(
  cached: CachedTokens,
  prices: Pick<ReplayPrices, "caching" | "breakpoints">,
  billing: Billing,
): number {
  if (billing === "leaving-is-free") return cached.kept;
  if (prices.breakpoints === "host") return cached.host;
  if (prices.caching === "automatic") return cached.shared - (cached.shared % step);
  if (prices.caching === "none" || billing === "what-the-next-reads") return cached.shared;
  return cached.own;
}

/** The billed input of the calls of a segment, in tokens at the plain input price. */
export function billedInput(
  calls: readonly CallTrace[],
  prices: ReplayPrices,
  billing: Billing,
): number {
  const { read, write } = prices;
  // The next call can read only what was written. Writing less helps only if the strategy chooses its breakpoints.
  const isSparing = billing === "what-the-next-reads" && prices.breakpoints !== "host";
  const found = (cached: CachedTokens): number => tokensFound(cached, prices, billing);
  return calls.reduce((sum, { tokens, cached, ownCalls, asked }, at) => {
    const isAsked = isSparing && asked.length > 0;
    const had = isAsked ? tokens : found(cached);
    const next = calls[at + 1];
    const reads = isSparing ? (next === undefined ? 0 : found(next.cached)) : tokens;
    const written = Math.min(Math.max(reads - had, 0), tokens - had);
    const own = ownCalls.reduce(
      (all, { input, cached: known = 0, output }) =>
        all + input + known * read + output * outputPrice,
      0,
    );
    const fetched = asked.reduce((all, one) => {
      const asking = askingTokens * outputPrice;
      if (isSparing) return all + one.tokens * read + one.content * write + asking;
      const known = found(one.cached);
      return all + known * read + (one.tokens - known) * write + asking;
    }, 0);
    return sum + had * read + written * write + (tokens - had - written) + own + fetched;
  }, 0);
}
