import type { CostAccount } from "../cost/cost-account.ts";
import type { PriceProfile } from "../cost/price-profile.ts";
import type { LayoutOutput } from "../view/layout.ts";

/** What the model is to see, and how much of the budget each pool takes. */
export interface View extends LayoutOutput {
  readonly layout: string;
  /** The number of the call, from 1; 0 for a view that is only looked at. */
  readonly call: number;
  /** What the session's calls are estimated to have cost; undefined where the layout has no epochs. */
  readonly account?: CostAccount;
}

export interface ViewOptions {
  /** The model's window in tokens; without it there is no limit. */
  readonly contextWindow?: number;
  /** Tokens of the window kept for the answer; 16,384 unless told, at most a quarter of the window. */
  readonly reserve?: number;
  /** False for a view that is looked at and not sent: it is not recorded, and nothing leaves by it. */
  readonly isSent?: boolean;
  /** The model that the view is for, as `provider/id`. */
  readonly model?: string;
  /** How its provider bills; Anthropic's usual prices unless told. */
  readonly prices?: PriceProfile;
  /**
   * What of a prompt the provider can find again: up to every place that was marked as a breakpoint (`own`, unless
   * told), or only up to the system prompt and to the end of the prompt before (`host`).
   */
  readonly breakpoints?: "own" | "host";
}
