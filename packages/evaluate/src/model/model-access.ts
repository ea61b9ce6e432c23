/** The protocols that the meter can read usage from, by the names of Pi's registry. */
export type ModelApi =
  | "anthropic-messages"
  | "openai-completions"
  | "openai-responses"
  | "google-generative-ai";

/** Dollars per million tokens. */
export interface ModelPrices extends PriceRates {
  /** Prices of longer requests, shortest first. They apply to the whole request. */
  readonly tiers?: readonly PriceTier[];
}

export interface PriceRates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** The prices of requests with more input tokens than this, from the cache or not. */
interface PriceTier extends PriceRates {
  readonly inputTokensAbove: number;
}

/** A model that runs can use. */
export interface ModelAccess {
  /** The provider's name in Pi's registry, or `url` for a server that was named by its URL. */
  readonly provider: string;
  readonly id: string;
  readonly api: ModelApi;
  /** The base URL of the provider, as Pi's registry has it. */
  readonly url: string;
  /** The key is never written into a result. */
  readonly key: string;
  /** Tokens. */
  readonly contextWindow: number;
  /** The most tokens of one answer. */
  readonly maxTokens: number;
  readonly isReasoning: boolean;
  /** Absent: unknown; then money is not reported and a budget is refused. */
  readonly prices?: ModelPrices;
}
