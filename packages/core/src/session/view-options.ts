import type { CostAccount } from "../cost/cost-account.ts";
import type { PriceProfile } from "../cost/price-profile.ts";
import type { ThinkingBinding } from "../cost/thinking-binding.ts";
import type { LayoutOutput } from "../view/layout.ts";

/** The view for the model, with the estimated tokens of each of its parts. */
export interface View extends LayoutOutput {
  readonly layout: string;
  /** The number of the call, from 1; 0 for a view of `peekView`. */
  readonly call: number;
  /** The cost of the session's calls; undefined before the first. */
  readonly account?: CostAccount;
}

/** What a session knows of the request that the view is made for. Without options a view has no limit. */
export interface ViewOptions {
  /** The model's context window, in tokens. Default: no limit. */
  readonly contextWindow?: number;
  /**
   * Tokens of the context window that are kept free for the answer. Default: 16,384, and at most a quarter of the
   * window.
   */
  readonly reserve?: number;
  /** The model that gets the view, as `provider/id`. */
  readonly model?: string;
  /** Whether the model accepts signed thinking only after unchanged text. Default: `free`. */
  readonly thinking?: ThinkingBinding;
  /**
   * Names the text before the messages, the system prompt and the tools: any text that changes with them. It matters
   * only for a model that binds its thinking.
   */
  readonly head?: string;
  /**
   * Estimated tokens that only the context manager puts before the messages: its instruction and the declarations of its
   * tools. Default: 0.
   */
  readonly ownTokens?: number;
  /** The provider's prices. Default: the usual prices of Anthropic. */
  readonly prices?: PriceProfile;
  /**
   * The places up to which the provider can find a prompt in its cache. `own`: every place that was marked as a
   * breakpoint. `host`: only the system prompt and the end of the last prompt. Default: `own`.
   */
  readonly breakpoints?: "own" | "host";
  /**
   * Whether the host itself shows the messages of the present turn, so that their texts can be replaced and none of them
   * can leave. Nothing of this turn is folded then. Default: false.
   */
  readonly isTurnFixed?: boolean;
}
