import type { JsonValue } from "../model/json.ts";

/** Lists shorter than this are compared in no time. */
const long = 64;

/** What was found of a list, against the list before it: both the delta and the references of a version ask. */
const found = new WeakMap<
  readonly JsonValue[],
  { readonly before: readonly JsonValue[]; readonly length: number }
>();

/** How many items two lists have in common at their beginnings, as the same objects. */
export function sameStart(before: readonly JsonValue[], after: readonly JsonValue[]): number {
  const known = found.get(after);
  if (known?.before === before) return known.length;
  const limit = Math.min(before.length, after.length);
  let length = 0;
  while (length < limit && before[length] === after[length]) length += 1;
  // Only frozen lists are sure to answer the same the next time.
  if (length >= long && Object.isFrozen(before) && Object.isFrozen(after))
    found.set(after, { before, length });
  return length;
}
