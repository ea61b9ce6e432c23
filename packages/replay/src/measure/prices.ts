/** Where a strategy's breakpoints are. */
export type Breakpoints =
  /** Wherever the strategy likes: what two prompts have in common is read again. */
  | "free"
  /** The system prompt and the last block, as Pi sends them. */
  | "host"
  /** The system prompt, former ends of prompts, and the new end. */
  | "own";

/** What input costs, relative to input that is read from no cache. */
export interface ReplayPrices {
  readonly name: string;
  readonly read: number;
  readonly write: number;
  readonly breakpoints: Breakpoints;
  /** How long the cache keeps what was not used, in milliseconds; for ever where it is absent. */
  readonly lifetime?: number;
}

/** What an output token costs, relative to input. */
export const outputPrice: number = 5;

/** The profiles of every replay, by name. */
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
