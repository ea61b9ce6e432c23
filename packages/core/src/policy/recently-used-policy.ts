import type { CallKind } from "../calls/call-kind.ts";
import {
  type ActivationPolicy,
  type InView,
  recentLimit,
  type UseKey,
} from "./activation-policy.ts";

/** Named settings. If more content is hidden, a session costs less and more evidence is missed. */
export const recentlyUsedSettings = {
  thrifty: { alive: 12, kept: 3 },
  default: { alive: 24, kept: 5 },
  careful: { alive: 40, kept: 8 },
} as const;

/** How many objects the policy *recently used* keeps. Every field has a default. */
export interface RecentlyUsedOptions {
  /** Number of objects used last that are active, counted for the usual kind; default 24. */
  readonly alive?: number;
  /** Number of them that stay in view when an epoch ends, counted for the usual kind and size; default 5. */
  readonly kept?: number;
}

/**
 * Factor by which an object of a kind is alive further back in the order of use. It was measured on recorded sessions:
 * read files are quoted again about three times as often, at the same age, as the output of commands.
 */
const reach: Readonly<Record<CallKind | "file" | "arguments", number>> = {
  file: 1.3,
  read: 1.3,
  arguments: 1.2,
  agent: 2,
  search: 1,
  web: 1,
  write: 1,
  edit: 1,
  command: 0.6,
  other: 0.6,
};

/** Tokens of an object whose size does not change its rank at a sweep. */
const usualSize = 1_000;
/** Tokens below which an object gains nothing more by its size, because its reference line costs almost as much. */
const smallestSize = 100;
/**
 * Exponent of the size. With 0.5, a content of four times the tokens must be twice as recent to stay, because the use
 * of a content does not grow in proportion to its size.
 */
const sizeExponent = 0.5;

/**
 * Returns the policy by which the objects used last are active (decision D2). An object is used when it is delivered,
 * read, activated or pinned, and when a later call names its file. Read files stay active longer than the output of
 * commands. When an epoch ends, small objects stay in view longer than large ones. Throws `RangeError` for a number out
 * of range.
 */
export function recentlyUsedPolicy(options: RecentlyUsedOptions = {}): ActivationPolicy {
  const alive = whole("alive", options.alive ?? recentlyUsedSettings.default.alive, recentLimit);
  const kept = whole("kept", options.kept ?? recentlyUsedSettings.default.kept, alive);
  return {
    name: "recently-used",
    revivesNamed: true,
    leaving({ candidates, recent }) {
      const isAlive = amongLast(recent, alive);
      return candidates.filter((object) => !isAlive(object)).map(({ id }) => id);
    },
    keepsArguments: (recent) => amongLast(recent, alive),
    staysAtSweep: (recent) => amongLast(recent, kept, bySize),
  };
}

function amongLast(
  recent: readonly UseKey[],
  count: number,
  scale: (object: InView) => number = () => 1,
): (object: InView) => boolean {
  const ranks = new Map(recent.map((key, index) => [key, recent.length - index]));
  return (object) => {
    const rank = ranks.get(object.key);
    return rank !== undefined && rank <= count * reachOf(object) * scale(object);
  };
}

function reachOf({ key, kind }: InView): number {
  return reach[kind ?? (key.endsWith("/args") ? "arguments" : "file")];
}

function bySize({ tokens }: InView): number {
  return (usualSize / Math.max(smallestSize, tokens)) ** sizeExponent;
}

function whole(name: string, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new RangeError(
      `${name} of the recently-used policy must be a whole number from 1 to ${most}; got ${value}`,
    );
  }
  return value;
}
