import type { ActivationPolicy } from "@self-context-manager/core";
import type { PolicyInput, PolicyObject, UseKey } from "@self-context-manager/core/layout";

/** A policy that counts outputs. `onAsk` notifies it that an output was asked for again, which counts as one more. */
export interface CountingPolicy {
  readonly policy: ActivationPolicy;
  readonly onAsk: (key: UseKey | undefined) => void;
}

/** A policy under which no object becomes inactive. */
export function keepAllPolicy(): ActivationPolicy {
  return { ...keeping, name: "keep-all", leaving: () => [] };
}

/** Of `c` outputs so far, the oldest `leavingOf(c)` become inactive. */
export function countingPolicy(leavingOf: (count: number) => number): CountingPolicy {
  let count = 0;
  // For each output that was asked for again: the number of outputs at that time.
  const asked: number[] = [];
  const again = new Map<UseKey, number>();
  const ordinalOf = (input: PolicyInput, { key, used }: PolicyObject): number => {
    const ordinal = again.get(key);
    if (ordinal !== undefined) return ordinal;
    const arrived = callsUpTo(input, used.turn - 1) + used.call - 1;
    return arrived + asked.filter((before) => before <= arrived).length;
  };
  return {
    policy: {
      ...keeping,
      name: "counting",
      leaving(input) {
        count = callsUpTo(input, input.turn);
        const leaving = leavingOf(count + asked.length);
        return input.candidates
          .filter((one) => ordinalOf(input, one) < leaving)
          .map(({ id }) => id);
      },
    },
    onAsk(key) {
      if (key !== undefined) again.set(key, count + asked.length);
      asked.push(count);
    },
  };
}

function callsUpTo({ callsInTurn }: PolicyInput, last: number): number {
  let count = 0;
  for (let turn = 0; turn <= last; turn += 1) count += callsInTurn(turn);
  return count;
}

const keeping = { keepsArguments: () => () => true, staysAtSweep: () => () => true };
