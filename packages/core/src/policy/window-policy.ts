import type { ActivationPolicy } from "./activation-policy.ts";

/** How far back the window of the policy reaches. Every field has a default. */
export interface WindowPolicyOptions {
  /** Number of tool calls that stay active in the current turn and in each of the turns before; default 5. */
  readonly calls?: number;
  /** Number of turns whose calls stay active, including the current one; default 3. */
  readonly turns?: number;
}

/**
 * Returns the policy that the specification describes. With the defaults, the last 5 tool calls of the current turn and
 * of each of the 2 turns before are active (decision D2). Files stay active until they are deactivated.
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
    throw new RangeError(
      `${name} of the window policy must be a whole number from 1; got ${value}`,
    );
  }
  return value;
}
