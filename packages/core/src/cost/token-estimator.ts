/** Says about how many tokens something takes. Never exact, always deterministic for the same calibration. */
export interface TokenEstimator {
  /** Tokens of a text. */
  text(text: string): number;
  /** Tokens of one image. */
  readonly image: number;
}
