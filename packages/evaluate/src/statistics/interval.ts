/** A figure that was estimated, with its interval. */
export interface Estimate {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}
