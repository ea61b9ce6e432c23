import { ratioOf } from "../cost/calibration.ts";
import type { SessionState } from "../state/session-state.ts";
import type { ViewOptions } from "./view-options.ts";

/** The default number of tokens that are kept free for the answer. */
const usualReserve = 16_384;

/**
 * Returns the budget of a view: the part of the context window that neither the answer nor the text outside the view
 * needs. `spent`: the tokens of added messages. If the provider refused an earlier prompt, the window is at most the
 * limit that its error named, and the messages have fewer tokens than the refused ones.
 */
export function budgetOf(
  { sent: { calibration, promptLimits, sentTokens } }: SessionState,
  { contextWindow, reserve, model = "" }: ViewOptions,
  spent: number,
): { readonly budget?: number } {
  const { tokens, estimated } = promptLimits.get(model) ?? {};
  const window = Math.min(contextWindow ?? Infinity, tokens ?? Infinity);
  const most =
    estimated === undefined ? Infinity : estimated * ratioOf(calibration, sentTokens) - spent;
  const within = window === Infinity ? Infinity : budgetWithin(window);
  const budget = Math.max(1, Math.floor(Math.min(within, most)));
  return budget === Infinity ? {} : { budget };

  function budgetWithin(limit: number): number {
    const usual = Math.min(usualReserve, Math.floor(limit / 4));
    const free = limit === contextWindow ? (reserve ?? usual) : Math.min(reserve ?? usual, usual);
    const rest = Math.floor((limit - free - calibration.overhead - spent) * 0.95);
    // A wrong calibration of the overhead must not leave a request without the user message.
    return Math.max(Math.floor(limit / 8), rest);
  }
}
