/** Where a strategy sets its breakpoints. */
export type Breakpoints =
  /** Anywhere: the common prefix of two prompts is read from the cache. */
  | "free"
  /** After the system prompt and the last block, as Pi sets them. */
  | "host"
  /** After the system prompt, at earlier ends of prompts, and at the new end. */
  | "own";

/** Prices of input, relative to uncached input. */
export interface ReplayPrices {
  readonly name: string;
  readonly read: number;
  readonly write: number;
  readonly breakpoints: Breakpoints;
  /** Milliseconds for which the cache keeps an entry after its last use; unlimited if absent. */
  readonly lifetime?: number;
}

/** The price of an output token, relative to uncached input. */
export const outputPrice: number = 5;

/** The price profiles of every replay. */
export const replayPrices: readonly ReplayPrices[] = [
  free("A", 1.25, 0.1),
  free("A1", 2, 0.1),
  free("B", 1.25, 0.05),
  free("C", 1.25, 0.025),
  free("D", 1, 0.1),
  free("E", 1, 0.25),
  free("F", 1, 0.5),
  free("G", 1, 0.02),
  free("N", 1, 1),
  { name: "A-host", write: 1.25, read: 0.1, breakpoints: "host" },
  { name: "A-own", write: 1.25, read: 0.1, breakpoints: "own" },
];

function free(name: string, write: number, read: number): ReplayPrices {
  return { name, write, read, breakpoints: "free" };
}
