import { outputPrice, type ReplayPrices } from "./prices.ts";
import type { CallTrace } from "./trace.ts";

/** How the part of a prompt that no cache has is billed. */
export type Billing =
  /** Written to the cache up to the end of the prompt. */
  | "to-the-end"
  /**
   * Only what the next call can read again is written, the rest is plain input: for prompts that change on each call.
   * A call before which the model asked for objects reads what it asked with, and the objects as they were written then.
   */
  | "what-the-next-reads"
  /** What was sent before is read again wherever it stands, so that leaving something out costs nothing: a bound. */
  | "leaving-is-free";

/** What the model's answer costs that asks for an object, in output tokens. */
const askingTokens = 120;
/** What asking for an object adds to the prompt beside the object. */
export const askedOverhead: number = 140;

/** The input of the calls of a segment, in tokens at the plain input price. */
export function billedInput(
  calls: readonly CallTrace[],
  prices: ReplayPrices,
  billing: Billing,
): number {
  const { read, write, breakpoints } = prices;
  // What comes next can read nothing that is not written, and without breakpoints of its choice nothing else.
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
