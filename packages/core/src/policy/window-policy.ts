import type { ActivationPolicy } from "./activation-policy.ts";

export interface WindowPolicyOptions {
  /** How many tool calls stay active of the current turn, and of each turn before it; 5 unless told. */
  readonly calls?: number;
  /** How many turns count, the current one included; 3 unless told. */
  readonly turns?: number;
}

/**
 * The specification's window (v0 §6.4, decision D2): of the current turn its last 5 tool calls, of each of the 2 turns
 * before its last 5. Files stay until they are deactivated.
 */
export function windowPolicy(options: WindowPolicyOptions = {}): ActivationPolicy {
  const calls = positive("calls", options.calls ?? 5);
  const turns = positive("turns", options.turns ?? 3);
  return {
    name: "window",
    leaving({ candidates, turn, callsInTurn }) {
      return candidates
        .filter(({ type, used }) => {
          if (type !== "toolcall") return false;
          return used.turn <= turn - turns || callsInTurn(used.turn) - used.call >= calls;
        })
        .map(({ id }) => id);
    },
    keepsArguments: () => () => true,
    staysAtSweep: () => () => true,
  };
}

function positive(name: string, value: number): number {
  if (!Number.isInteger(value) || value < 1) {
    throw new RangeError(`${name} of the window is a whole number from 1; got ${value}`);
  }
  return value;
}
