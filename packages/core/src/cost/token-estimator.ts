/** Estimates tokens. An estimate is never exact, but always the same for the same calibration. */
export interface TokenEstimator {
  /** Returns the tokens of a text. */
  text(text: string): number;
  /** Tokens of one image. */
  readonly image: number;
}
