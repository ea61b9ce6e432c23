import type { ActivationPolicy, PolicyInput, PolicyObject } from "@self-context-manager/core";

/** Nothing leaves by itself. */
export function keepAllPolicy(): ActivationPolicy {
  return { ...keeping, name: "keep-all", leaving: () => [] };
}

/** The newest `count` outputs are active. */
export function newestPolicy(count: number): ActivationPolicy {
  return {
    ...keeping,
    name: "newest",
    leaving: ({ candidates }) =>
      candidates.slice(0, Math.max(0, candidates.length - count)).map(({ id }) => id),
  };
}

/** With `c` outputs so far, the oldest `floor(c / every) * every - keep` leave. */
export function batchedPolicy(keep: number, every: number): ActivationPolicy {
  return {
    ...keeping,
    name: "batched",
    leaving(input) {
      const count = callsUpTo(input, input.turn);
      const leaving = Math.floor(count / every) * every - keep;
      return input.candidates.filter((one) => ordinalOf(input, one) < leaving).map(({ id }) => id);
    },
  };
}

/** Which output it was, from 0; one that was asked for again counts as the newest. */
function ordinalOf(input: PolicyInput, { used }: PolicyObject): number {
  return callsUpTo(input, used.turn - 1) + used.call - 1;
}

function callsUpTo({ callsInTurn }: PolicyInput, last: number): number {
  let count = 0;
  for (let turn = 0; turn <= last; turn += 1) count += callsInTurn(turn);
  return count;
}

const keeping = { keepsArguments: () => () => true, staysAtSweep: () => () => true };
