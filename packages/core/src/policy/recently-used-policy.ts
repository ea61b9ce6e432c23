import type { CallKind } from "../calls/call-kind.ts";
import {
  type ActivationPolicy,
  type InView,
  recentLimit,
  type UseKey,
} from "./activation-policy.ts";

/** How much stays alive, by name: what hides more costs less and misses more. */
export const recentlyUsedSettings = {
  thrifty: { alive: 12, kept: 3 },
  default: { alive: 24, kept: 5 },
  careful: { alive: 40, kept: 8 },
} as const;

export interface RecentlyUsedOptions {
  /** How many of the objects used last are active, of the usual kind; 24 unless told. */
  readonly alive?: number;
  /** How many of them stay in view when an epoch ends, of the usual kind and size; 5 unless told. */
  readonly kept?: number;
}

/**
 * How much further back in the order of use an object of a kind is still alive. Measured on recorded sessions: what was
 * read is quoted again about three times as often, at the same age, as what a command printed.
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

/** Of so many tokens an object is as likely to be worth its place at a sweep as its rank says. */
const usualSize = 1_000;
/** Smaller ones count as even smaller for nothing: their reference line costs almost as much. */
const smallestSize = 100;
/** A content of four times the tokens must be twice as recent to stay: its use does not grow with its size. */
const sizeExponent = 0.5;

/**
 * The objects that were used last are active (decision D2). An object is used when it is delivered, read, activated or
 * pinned, and when a later call names its file. What is read reaches further back than what commands print, and at an
 * epoch's end what is small further than what is large. Throws `RangeError` for numbers that can never be.
 */
export function recentlyUsedPolicy(options: RecentlyUsedOptions = {}): ActivationPolicy {
  const alive = whole("alive", options.alive ?? recentlyUsedSettings.default.alive, recentLimit);
  const kept = whole("kept", options.kept ?? recentlyUsedSettings.default.kept, alive);
  return {
    name: "recently-used",
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
      `${name} of the recently used objects is a whole number from 1 to ${most}; got ${value}`,
    );
  }
  return value;
}
