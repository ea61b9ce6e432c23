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
  beginnings = new WeakMap();
}

/**
 * Returns the groups of a list of objects. A group with the same items as in an earlier list is nearly always the same
 * object, so what is computed from a group can be kept in a `WeakMap` under it, and a list that grows at its end costs one
 * pass of comparisons. Items of the list may be added at its end, but never replaced.
 */
export function groupsOf<Item extends object>(list: readonly Item[]): ListGroups<Item> {
  return groupsKnown(list) ?? noted(list, divided(list));
}

/** Returns the groups of a list if `groupsOf` or `continued` has made them. */
export function groupsKnown<Item>(list: readonly Item[]): ListGroups<Item> | undefined {
  const before = known.get(list);
  return before?.length === list.length ? (before.groups as ListGroups<Item>) : undefined;
}

function noted<Item>(list: readonly Item[], groups: ListGroups<Item>): ListGroups<Item> {
  known.set(list, { length: list.length, groups });
  return groups;
}

/**
 * Returns a list with the first items of another, and more items behind them. Its groups are those of the other list as far
 * as they are whole, so they need no comparison. `count`: the number of the first items; default: all.
 */
export function continued<Item extends object>(
  former: readonly Item[],
  more: readonly Item[],
  count: number = former.length,
): Item[] {
  const list = (count === former.length ? former : firstOf(former, count)).concat(more);
  const groups = groupsOf(former).slice(0, Math.floor(count / groupLength));
  for (let start = groups.length * groupLength; start < list.length; start += groupLength)
    groups.push(groupAt(list, start, Math.min(start + groupLength, list.length)));
  noted(list, groups);
  return list;
}

/** Returns the first items of a list. `slice` is slow for a frozen one, and copies no more than it needs of another. */
function firstOf<Item>(list: readonly Item[], count: number): readonly Item[] {
  if (!Object.isFrozen(list)) return list.slice(0, count);
  const copy = [...list];
  copy.length = count;
  return copy;
}

/** Returns the number of items with which two lists begin. A group that is in both is compared as a whole. */
export function commonLength<Item>(list: ListGroups<Item>, other: ListGroups<Item>): number {
  let common = 0;
  for (const [at, group] of list.entries()) {
    const beside = other[at] ?? [];
    let same = group === beside ? group.length : 0;
    while (same < group.length && same < beside.length && group[same] === beside[same]) same += 1;
    common += same;
    if (same < groupLength) break;
  }
  return common;
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
  const list = Object.freeze(joined(groups));
  made.set(list, groups);
  return list;
}

/** Whether groups are those that `groupsOf` makes: all but the last one are full. */
export function isWhole(groups: ListGroups<unknown>): boolean {
  return groups.every(({ length }, index) => length === groupLength || index === groups.length - 1);
}

/** The items of groups that lists began with, by the first group: all groups but the last one of the last list. */
let beginnings = new WeakMap<
  readonly unknown[],
  { readonly groups: (readonly unknown[])[]; readonly items: unknown[] }
>();

/** Returns the items of some groups. What is the same as in the last list with the same first group is copied as a whole. */
export function joined<Item>(groups: ListGroups<Item>): Item[] {
  const [first] = groups;
  if (first === undefined) return [];
  const before = madeOnce(beginnings, first, () => ({ groups: [], items: [] }));
  const last = groups.length - 1;
  let same = 0;
  let count = 0;
  while (same < last && same < before.groups.length && before.groups[same] === groups[same]) {
    count += groups[same]?.length ?? 0;
    same += 1;
  }
  before.groups.length = same;
  before.items.length = count;
  for (const group of groups.slice(same, last)) {
    before.groups.push(group);
    for (const item of group) before.items.push(item);
  }
  const list = (before.items as Item[]).concat(groups[last] ?? []);
  if (isWhole(groups)) noted(list, groups);
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
