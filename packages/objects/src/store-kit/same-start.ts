import type { JsonValue } from "../model/json.ts";

/** The result for a shorter list is not cached: comparing it is cheap. */
const long = 64;

/** The results by list, because the delta and the references of a version both ask for the same pair. */
const found = new WeakMap<
  readonly JsonValue[],
  { readonly before: readonly JsonValue[]; readonly length: number }
>();

/** Returns the number of identical items at the beginnings of two lists. */
export function sameStart(before: readonly JsonValue[], after: readonly JsonValue[]): number {
  const known = found.get(after);
  if (known?.before === before) return known.length;
  const limit = Math.min(before.length, after.length);
  let length = 0;
  while (length < limit && before[length] === after[length]) length += 1;
  // Only a frozen list gives the same result the next time.
  if (length >= long && Object.isFrozen(before) && Object.isFrozen(after))
    found.set(after, { before, length });
  return length;
}
