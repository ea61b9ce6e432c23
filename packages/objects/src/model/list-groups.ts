import { madeOnce } from "./made-once.ts";

/** Number of items of a group. The hash tree writes long lists in groups of this length. */
export const groupLength = 64;

/** A list in frozen groups of 64 items, in order; the last group can be shorter. */
export type ListGroups<Item> = readonly (readonly Item[])[];

/** The groups of lists, with the length that the list had. */
let known = new WeakMap<object, { readonly length: number; readonly groups: unknown }>();

/** The last group that ended with an item. */
let byLast = new WeakMap<object, readonly unknown[]>();

/** Forgets all groups, so that what was computed from them is computed again. Tests compare both. */
export function forgetGroups(): void {
  known = new WeakMap();
  byLast = new WeakMap();
}

/**
 * Returns the groups of a list of objects. A group with the same items as in an earlier list is nearly always the same
 * object, so what is computed from a group can be kept in a `WeakMap` under it, and a list that grows at its end costs one
 * pass of comparisons. Items of the list may be added at its end, but never replaced.
 */
export function groupsOf<Item extends object>(list: readonly Item[]): ListGroups<Item> {
  const before = known.get(list);
  if (before?.length === list.length) return before.groups as ListGroups<Item>;
  const groups = divided(list);
  known.set(list, { length: list.length, groups });
  return groups;
}

/** Returns the groups of a list, as `groupsOf` does. Items that are no objects get new groups. */
export function divided<Item>(list: readonly Item[]): ListGroups<Item> {
  const groups: (readonly Item[])[] = [];
  for (let start = 0; start < list.length; start += groupLength)
    groups.push(groupAt(list, start, Math.min(start + groupLength, list.length)));
  return groups;
}

function groupAt<Item>(list: readonly Item[], start: number, end: number): readonly Item[] {
  const last = list[end - 1];
  if (typeof last !== "object" || last === null) return Object.freeze(list.slice(start, end));
  const former = byLast.get(last) as readonly Item[] | undefined;
  if (former !== undefined && isPart(list, start, end, former)) return former;
  const group = Object.freeze(list.slice(start, end));
  byLast.set(last, group);
  return group;
}

/**
 * Returns the groups of a list of texts, or of other values that no `WeakMap` can have as keys. A group with the same items
 * as in `former` is the same object.
 */
export function groupsLike<Item>(
  list: readonly Item[],
  former: ListGroups<Item>,
): ListGroups<Item> {
  const groups: (readonly Item[])[] = [];
  for (let start = 0; start < list.length; start += groupLength) {
    const end = Math.min(start + groupLength, list.length);
    const group = former[groups.length];
    const isSame = group !== undefined && isPart(list, start, end, group);
    groups.push(isSame ? group : Object.freeze(list.slice(start, end)));
  }
  return groups;
}

/** Returns the sum of a whole number of each item. `kept`: the sums of groups. */
export function sumOfGroups<Item extends object>(
  list: readonly Item[],
  kept: WeakMap<readonly Item[], number>,
  of: (item: Item) => number,
): number {
  let sum = 0;
  for (const group of groupsOf(list))
    sum += madeOnce(kept, group, () => group.reduce((total, item) => total + of(item), 0));
  return sum;
}

/** The groups of lists that were made from them. */
const made = new WeakMap<readonly unknown[], unknown>();

/**
 * Returns the list of some groups, frozen. `sealObject` checks and hashes each of the groups once, in however many lists it
 * is.
 */
export function listOfGroups<Item>(groups: ListGroups<Item>): readonly Item[] {
  const list: Item[] = [];
  for (const group of groups) for (const item of group) list.push(item);
  Object.freeze(list);
  made.set(list, groups);
  return list;
}

/** Freezes a list that `divided` has just divided. */
export function freezeDivided<Item>(list: readonly Item[], groups: ListGroups<Item>): void {
  Object.freeze(list);
  made.set(list, groups);
}

/** Returns the groups of a frozen list, if `listOfGroups` or `freezeDivided` has noted them. */
export function groupsMade<Item>(list: readonly Item[]): ListGroups<Item> | undefined {
  return made.get(list) as ListGroups<Item> | undefined;
}

/** Whether a part of a list has the given items. A loop, because it runs over all items of each new list. */
function isPart<Item>(
  list: readonly Item[],
  start: number,
  end: number,
  items: readonly Item[],
): boolean {
  if (items.length !== end - start) return false;
  for (let index = start; index < end; index += 1)
    if (list[index] !== items[index - start]) return false;
  return true;
}
