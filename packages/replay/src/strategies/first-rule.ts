import type { ActivationPolicy, CallKind, EpochSettings } from "@self-context-manager/core";
import type { PolicyObject, UseKey } from "@self-context-manager/core/layout";

/** The settings of the epoch layout that belong to the first rule. */
export const firstRuleEpochs: Partial<EpochSettings> = {
  share: 0.75,
  shareAtTurn: 0.375,
  small: 120,
  trim: { over: 4_000, head: 1_500, tail: 500 },
  replacedTexts: undefined,
  otherArguments: undefined,
};

type Seen = Pick<PolicyObject, "key" | "tokens" | "kind">;

const alive = 24;
const kept = 5;
/** The number of keys in the order of use that the rule sees. */
const seen = 96;

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

/**
 * The first rule of *recently used*, to which the present one is compared. What is alive depends only on the place in the
 * order of use and the kind; the size counts only when an epoch ends, and epochs end earlier.
 */
export function firstRulePolicy(): ActivationPolicy {
  return {
    name: "first-rule",
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
  scale: (object: Seen) => number = () => 1,
): (object: Seen) => boolean {
  const last = recent.slice(-seen);
  const ranks = new Map(last.map((key, index) => [key, last.length - index]));
  return (object) => {
    const { key, kind } = object;
    const rank = ranks.get(key);
    const factor = reach[kind ?? (key.endsWith("/args") ? "arguments" : "file")];
    return rank !== undefined && rank <= count * factor * scale(object);
  };
}

function bySize({ tokens }: Seen): number {
  return (1_000 / Math.max(100, tokens)) ** 0.5;
}
