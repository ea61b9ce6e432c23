import type { MediaFacts } from "./media-facts.ts";

/** Estimates tokens. An estimate is never exact, but always the same for the same calibration. */
export interface TokenEstimator {
  /** Returns the tokens of a text. */
  text(text: string): number;
  /** Returns the tokens of a file in a message, such as an image or a PDF. */
  media(facts: MediaFacts): number;
  /** The model whose rule counts files, as `provider/id`; undefined if the largest of the usual rules counts. */
  readonly model?: string;
}
