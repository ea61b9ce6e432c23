import { outputPrice, type ReplayPrices } from "./prices.ts";
import type { CallTrace } from "./trace.ts";

/** How the part of a prompt that is not in the cache is billed. */
export type Billing =
  /** The prompt is written to the cache up to its end. */
  | "to-the-end"
  /**
   * Only the part that the next call reads is written, and the rest is plain input; for prompts that change with each
   * call. If the model fetched objects before a call, the prompts of these fetches and the fetched objects are in the
   * cache, and the call reads them from there.
   */
  | "what-the-next-reads"
  /** Sent blocks are read from the cache at any place, so leaving out a block costs nothing. This is a lower bound. */
  | "leaving-is-free";

/** Output tokens of the model's answer that asks for an object. */
const askingTokens = 120;
/** Tokens that asking for an object adds to the prompt, apart from the object. */
export const askedOverhead: number = 140;

/** The billed input of the calls of a segment, in tokens at the plain input price. */
export function billedInput(
  calls: readonly CallTrace[],
  prices: ReplayPrices,
  billing: Billing,
): number {
  const { read, write, breakpoints } = prices;
  // The next call can read only what was written. Writing less helps only if the strategy chooses its breakpoints.
  const isSparing = billing === "what-the-next-reads" && breakpoints === "free";
  return calls.reduce((sum, { tokens, cached, kept, ownCalls, charges }, at) => {
    const isAsked = isSparing && charges.length > 0;
    const found = billing === "leaving-is-free" ? kept : cached[breakpoints];
    const had = isAsked ? tokens : found;
    const next = isSparing ? (calls[at + 1]?.cached[breakpoints] ?? 0) : tokens;
    const written = Math.min(Math.max(next - had, 0), tokens - had);
    const own = ownCalls.reduce((all, { input, output }) => all + input + output * outputPrice, 0);
    const asked = charges.reduce(
      (all, { prompt, content }) =>
        all + prompt * read + askingTokens * outputPrice + (isAsked ? content * write : 0),
      0,
    );
    return sum + had * read + written * write + (tokens - had - written) + own + asked;
  }, 0);
}
