/** How a provider finds the beginning of a prompt in its cache. */
type Caching =
  /** Only at breakpoints: those of this request, and at most 20 blocks before one. */
  | "explicit"
  /** Up to any place, in steps of 128 tokens. */
  | "automatic"
  | "none";

/** Prices of input, relative to uncached input. */
export interface ReplayPrices {
  readonly name: string;
  readonly read: number;
  readonly write: number;
  readonly caching: Caching;
  /** `host`: every strategy has the breakpoints of the host. Default: a layout that names its own has these. */
  readonly breakpoints?: "host";
  /** Milliseconds for which the cache keeps an entry after its last use; unlimited if absent. */
  readonly lifetime?: number;
}

/** The price of an output token, relative to uncached input. */
export const outputPrice: number = 5;

const minute = 60_000;
const hour = 60 * minute;

/** The price profiles of every replay. The lifetimes are those of the providers' usual cache entries. */
export const replayPrices: readonly ReplayPrices[] = [
  explicit("A", 1.25, 0.1),
  explicit("A1", 2, 0.1, hour),
  explicit("B", 1.25, 0.05),
  explicit("C", 1.25, 0.025),
  automatic("D", 0.1, 5 * minute),
  automatic("E", 0.25, 5 * minute),
  automatic("F", 0.5, 5 * minute),
  automatic("G", 0.02),
  { name: "N", write: 1, read: 1, caching: "none" },
  { ...explicit("A-host", 1.25, 0.1), breakpoints: "host" },
];

function explicit(name: string, write: number, read: number, lifetime = 5 * minute): ReplayPrices {
  return { name, write, read, caching: "explicit", lifetime };
}

function automatic(name: string, read: number, lifetime?: number): ReplayPrices {
  const prices = { name, write: 1, read, caching: "automatic" } as const;
  return lifetime === undefined ? prices : { ...prices, lifetime };
}
