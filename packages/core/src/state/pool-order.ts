import {
  groupLength,
  groupsLike,
  groupsOf,
  type ListGroups,
  listOfGroups,
  madeOnce,
  type ObjectId,
} from "@self-context-manager/objects";
import type { PoolEntry, PoolRow } from "../view/pool-entry.ts";

/** The order of a pool's entries, in groups, of which only those with a change are made again. */
interface PoolOrder {
  /** Notes the row of an entry that is new or changed. */
  put(row: PoolRow): void;
  /** Forgets the order, because an entry has left. */
  forget(): void;
  /** Returns the rows of the entries. */
  rows(entries: Entries): ListGroups<PoolRow>;
  /** Returns the ids of the entries without some. */
  idsWithout(entries: Entries, left: Iterable<ObjectId>): readonly ObjectId[];
}

type Entries = ReadonlyMap<ObjectId, PoolEntry>;

export function poolOrder(): PoolOrder {
  const places = new Map<ObjectId, number>();
  let ordered: PoolRow[] | undefined = [];
  let groups: ListGroups<PoolRow> = [];
  /** The first row that is not in the groups. */
  let changedFrom = 0;
  let formerRest: ListGroups<ObjectId> = [];

  function rowsOf(entries: Entries): readonly PoolRow[] {
    if (ordered !== undefined) return ordered;
    ordered = [];
    for (const { id, row } of entries.values()) {
      places.set(id, ordered.length);
      ordered.push(row);
    }
    changedFrom = 0;
    return ordered;
  }

  function groupsNow(entries: Entries): ListGroups<PoolRow> {
    const all = rowsOf(entries);
    if (changedFrom >= all.length) return groups;
    const first = Math.floor(changedFrom / groupLength);
    groups = [...groups.slice(0, first), ...groupsOf(all.slice(first * groupLength))];
    changedFrom = all.length;
    return groups;
  }

  return {
    put(row) {
      if (ordered === undefined) return;
      const place = places.get(row.id) ?? ordered.length;
      if (ordered[place] === row) return;
      places.set(row.id, place);
      ordered[place] = row;
      changedFrom = Math.min(changedFrom, place);
    },
    forget() {
      places.clear();
      ordered = undefined;
      groups = [];
    },
    rows: groupsNow,
    idsWithout(entries, left) {
      const all = rowsOf(entries);
      const without = new Set(left);
      let first = all.length;
      for (const id of without) first = Math.min(first, places.get(id) ?? first);
      const whole = Math.floor(first / groupLength);
      const rest: ObjectId[] = [];
      for (let at = whole * groupLength; at < all.length; at += 1) {
        const id = all[at]?.id;
        if (id !== undefined && !without.has(id)) rest.push(id);
      }
      formerRest = groupsLike(rest, formerRest);
      const before = groupsNow(entries).slice(0, whole);
      return listOfGroups([...before.map((group) => madeOnce(ids, group, idsOf)), ...formerRest]);
    },
  };
}

const ids = new WeakMap<readonly PoolRow[], readonly ObjectId[]>();

function idsOf(group: readonly PoolRow[]): readonly ObjectId[] {
  return Object.freeze(group.map(({ id }) => id));
}
