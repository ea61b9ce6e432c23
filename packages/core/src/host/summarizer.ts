import type { ReportedUsage } from "../chat/message.ts";

/**
 * Asks a model for a summary (decision D73). The adapter of a host implements it with what the host offers; without one,
 * no summary is made. Core writes the request, and reads and checks the answer.
 *
 * Laws, which `summarizerContract` of `@self-context-manager/testkit` tests:
 *
 * - `answer-is-the-model's`: the result has the text that the model wrote, without its thinking, and the model's name.
 * - `request-arrives-whole`: the model gets the instruction and the text byte for byte, and nothing of a session.
 * - `usage-is-reported`: the result has the tokens that the provider reported for the request, if it reports any.
 * - `failure-rejects`: if the provider refuses, fails or answers without a text, the promise rejects.
 * - `signal-ends`: after the signal was aborted, the promise rejects soon, and the model is not asked again.
 */
export interface Summarizer {
  readonly specification: "summarizer-1";
  summarize(request: SummaryRequest): Promise<SummaryAnswer>;
}

/** What a model is asked. */
export interface SummaryRequest {
  /** The task, as a system prompt. */
  readonly instruction: string;
  /** The text to summarize, as the only message of a user. */
  readonly text: string;
  /** The most tokens that the answer needs. A model that thinks can need more. */
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

/** What a model answered. */
export interface SummaryAnswer {
  readonly text: string;
  /** The model's name, with its provider if known: `anthropic/claude-haiku`. */
  readonly model: string;
  /** The tokens of the request, as the provider reported them, with those of the answer. */
  readonly usage?: ReportedUsage & { readonly output: number };
  /** Price of the request in US dollars, if the host knows it. */
  readonly cost?: number;
}
