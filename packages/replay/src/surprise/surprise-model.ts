/** The log-likelihood that a model gives to a text. */
export interface LogLikelihood {
  /** The sum of the natural logarithms of the tokens' probabilities; never above 0. */
  readonly nats: number;
  /** The number of tokens of the answer. */
  readonly tokens: number;
}

/**
 * A model that says how probable a text is after another.
 *
 * - The same prompt and the same answer give the same tokens, and the same nats up to the rounding of the model.
 * - The tokens of the answer do not depend on the prompt before its last line.
 * - Nothing is cut: a prompt that does not fit into the window with its answer is refused with a `SurpriseError`.
 */
export interface SurpriseModel extends AsyncDisposable {
  /** Names the model, so that results of different models are never mixed. */
  readonly name: string;
  /** The most tokens of a prompt and its answer together. */
  readonly window: number;
  /** The number of tokens of a text; undefined if only a measurement shows whether a prompt fits. */
  tokens(text: string): Promise<number | undefined>;
  /** The log-likelihood of an answer after a prompt. Prompts that begin alike are cheaper one after the other. */
  logLikelihood(prompt: string, answer: string): Promise<LogLikelihood>;
}

/** A code that a caller can act on. */
export type SurpriseErrorCode =
  | "MODEL_MISSING"
  | "MODEL_UNUSABLE"
  | "PROMPT_TOO_LONG"
  | "RESULTS_UNREADABLE";

/** The measure of surprise cannot continue. */
export class SurpriseError extends Error {
  override readonly name = "SurpriseError";
  readonly code: SurpriseErrorCode;

  constructor(code: SurpriseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
