import { type ActivationPolicy, recentLimit, type UseKey } from "./activation-policy.ts";

/** How much stays alive, by name: what hides more costs less and misses more. */
export const recentlyUsedSettings = {
  thrifty: { alive: 12, kept: 3 },
  default: { alive: 24, kept: 5 },
  careful: { alive: 40, kept: 6 },
} as const;

export interface RecentlyUsedOptions {
  /** How many of the objects used last are active; 24 unless told. */
  readonly alive?: number;
  /** How many of them stay in view when an epoch ends; 5 unless told. */
  readonly kept?: number;
}

/**
 * The objects that were used last are active (decision D2). An object is used when it is delivered, read, activated or
 * pinned, and when a later call names its file. Throws `RangeError` for numbers that can never be.
 */
export function recentlyUsedPolicy(options: RecentlyUsedOptions = {}): ActivationPolicy {
  const alive = whole("alive", options.alive ?? recentlyUsedSettings.default.alive, recentLimit);
  const kept = whole("kept", options.kept ?? recentlyUsedSettings.default.kept, alive);
  return {
    name: "recently-used",
    leaving({ candidates, recent }) {
      const isAlive = isAmong(recent, alive);
      return candidates.filter(({ key }) => !isAlive(key)).map(({ id }) => id);
    },
    keepsArguments: (recent) => isAmong(recent, alive),
    staysAtSweep: (recent) => isAmong(recent, kept),
  };
}

function isAmong(recent: readonly UseKey[], count: number): (key: UseKey) => boolean {
  const last = new Set(recent.slice(-count));
  return (key) => last.has(key);
}

function whole(name: string, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new RangeError(
      `${name} of the recently used objects is a whole number from 1 to ${most}; got ${value}`,
    );
  }
  return value;
}
