import type { Patience } from "../ports/patience.ts";

/** Returns a patience that allows each call the same number of milliseconds. */
export function fixedPatience(milliseconds: number): Patience {
  return { left: () => milliseconds, blocked() {}, worked() {} };
}
