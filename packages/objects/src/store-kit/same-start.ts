import type { JsonValue } from "../model/json.ts";
import { commonLength, groupsMade } from "../model/list-groups.ts";

/** The result for a shorter list is not cached: comparing it is cheap. */
const long = 64;

/** The results by list, because the delta and the references of a version both ask for the same pair. */
const found = new WeakMap<
  readonly JsonValue[],
  { readonly before: readonly JsonValue[]; readonly length: number }
>();

/**
 * Notes that a list was made from a frozen one, of which it has this many items at its beginning, and that it will be
 * frozen before it is used. A list that is changed once more is noted again.
 */
export function noteSameStart(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  length: number,
): void {
  if (length >= long && Object.isFrozen(before)) keep(before, after, length);
  else found.delete(after);
}

function keep(before: readonly JsonValue[], after: readonly JsonValue[], length: number): void {
  // Each entry keeps the list before it alive, so a chain of entries would keep all earlier versions.
  found.delete(before);
  found.set(after, { before, length });
}

/** Returns the number of items of a list that are known to come from a frozen list. */
export function itemsOfFrozen(list: readonly JsonValue[]): number {
  return found.get(list)?.length ?? 0;
}

/**
 * Returns the number of identical items at the beginnings of two lists. If that was noted, the next items may be identical
 * too.
 */
export function sameStart(before: readonly JsonValue[], after: readonly JsonValue[]): number {
  const known = found.get(after);
  if (known?.before === before) return known.length;
  const limit = Math.min(before.length, after.length);
  let length = commonLength(groupsMade(before) ?? [], groupsMade(after) ?? []);
  while (length < limit && before[length] === after[length]) length += 1;
  // Only a frozen list gives the same result the next time.
  if (length >= long && Object.isFrozen(before) && Object.isFrozen(after))
    keep(before, after, length);
  return length;
}
