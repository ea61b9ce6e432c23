import type { CallKind } from "../calls/call-kind.ts";
import {
  type ActivationPolicy,
  type InView,
  recentLimit,
  type UseKey,
} from "./activation-policy.ts";

/** How many objects the policy *recently used* keeps. Every field has a default. */
export interface RecentlyUsedOptions {
  /** Number of objects used last that are active, counted for the usual kind and size; default 26. */
  readonly alive?: number;
  /** Number of them that stay in view when an epoch ends, counted in the same way; default 3. */
  readonly kept?: number;
}

/** The numbers of the setting `default`. */
export const usualNumbers: Required<RecentlyUsedOptions> = { alive: 26, kept: 3 };

/**
 * Factor by which an object of a kind is alive further back in the order of use. It was measured on recorded sessions:
 * text that was read or written is quoted again more often, at the same age, than the output of commands.
 */
const reach: Readonly<Record<CallKind | "file" | "arguments", number>> = {
  file: 1.5,
  read: 1.5,
  arguments: 2,
  agent: 3,
  search: 1,
  web: 1,
  write: 1,
  edit: 1,
  other: 1,
  command: 0.5,
};

/**
 * The objects used last that stay when an epoch ends, whatever their kind and size, because the model still works with
 * them; fewer if `kept` is less than 3.
 */
const leastKept = 2;

/** Tokens of an object whose size does not change its rank. */
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
 * read, activated or pinned, and when a later call names its file. Text that was read or written stays longer than the
 * output of commands, and small objects stay longer than large ones. Throws `RangeError` for a number out of range.
 */
export function recentlyUsedPolicy(options: RecentlyUsedOptions = {}): ActivationPolicy {
  const alive = whole("alive", options.alive ?? usualNumbers.alive, recentLimit);
  const kept = whole("kept", options.kept ?? Math.min(usualNumbers.kept, alive), alive);
  return {
    name: "recently-used",
    revivesNamed: true,
    leaving({ candidates, recent }) {
      const isAlive = amongLast(recent, alive);
      return candidates.filter((object) => !isAlive(object)).map(({ id }) => id);
    },
    keepsArguments: (recent) => amongLast(recent, alive),
    staysAtSweep: (recent) => amongLast(recent, kept, Math.min(leastKept, kept - 1)),
  };
}

/**
 * Returns whether an object is among the last `count` of the order of use, counted for its kind and size. The last `least`
 * always are.
 */
function amongLast(
  recent: readonly UseKey[],
  count: number,
  least = 0,
): (object: InView) => boolean {
  const ranks = new Map(recent.map((key, index) => [key, recent.length - index]));
  return (object) => {
    const rank = ranks.get(object.key);
    return rank !== undefined && rank <= Math.max(least, count * reachOf(object) * bySize(object));
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
