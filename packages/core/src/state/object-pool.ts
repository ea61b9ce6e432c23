import {
  defined,
  listOfGroups,
  type ObjectId,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { handleLetter } from "../lines/handles.ts";
import type { PoolEntry, PoolRow } from "../view/pool-entry.ts";
import { poolOrder } from "./pool-order.ts";
import type { StatePart } from "./state-part.ts";

/** The objects that a session knows, with their handles. */
export interface ObjectPool extends StatePart {
  /** The known objects, in the order in which they joined. */
  readonly entries: ReadonlyMap<ObjectId, PoolEntry>;
  /** The number of changes to entries that the pool had already. */
  readonly revision: number;
  /** The objects by their handles, also those that have left the pool. */
  readonly handles: ReadonlyMap<string, ObjectId>;
  /** The rows to store: those of the entries, and those of the objects that have left the pool. */
  readonly rows: readonly PoolRow[];
  /** The highest number of a handle, by its letter. */
  readonly handleCounts: ReadonlyMap<string, number>;
  /** Returns the entries that a program has loaded, or that a document links to, in the order in which they joined. */
  broughtIn(): readonly PoolEntry[];
  /** Files whose entry is new, or newer than the version that the tracker has. */
  readonly untracked: ReadonlySet<ObjectId>;
  /** Returns the ids of the entries without some, in the order in which they joined. */
  idsWithout(left: Iterable<ObjectId>): readonly ObjectId[];
  get(id: ObjectId): PoolEntry | undefined;
  has(id: ObjectId): boolean;
  /**
   * Adds an object, or replaces its metadata by newer metadata. `key` is the host's message key of a tool's result.
   * `loaded`: the object joins because a program loads it as inactive. `linked`: it joins because the document with this
   * handle links to it; of a known object this changes nothing, unless it joined because of another document.
   */
  join(stored: StoredMetadata, row?: Pick<PoolRow, "key" | "loaded" | "linked">): PoolEntry;
  /** Adds an entry of the pool of another state, with its handle. */
  adopt(entry: PoolEntry): void;
  /** Replaces the metadata of an entry by that of its first stored version. The shown text does not change. */
  settle(stored: StoredMetadata): void;
  /** Removes objects. They can join again. */
  forget(ids: Iterable<ObjectId>): void;
  /** Removes objects and keeps their handles, which they have again when they join again. */
  retire(ids: Iterable<ObjectId>): void;
  /** Never gives this handle, or one with a lower number, to a new object. */
  skipHandle(handle: string): void;
  /** Notes that the tracker does not have the present version of a file. */
  noteUntracked(id: ObjectId): void;
  /** Notes that the tracker has the present versions of files. */
  noteTracked(ids: Iterable<ObjectId>): void;
  /** Replaces the entries by those of a stored session. Handles that were given since are not given again. */
  restore(stored: StoredPool, metadata: ReadonlyMap<ObjectId, StoredMetadata>): void;
}

/** The stored form of a pool. */
interface StoredPool {
  readonly pool: readonly PoolRow[];
  readonly handle_counts: Readonly<Record<string, number>>;
}

/** Returns an empty pool. */
export function objectPool(): ObjectPool {
  const entries = new Map<ObjectId, PoolEntry>();
  const handles = new Map<string, ObjectId>();
  const numbers = handleNumbers();
  const retired = new Map<ObjectId, PoolRow>();
  const untracked = new Set<ObjectId>();
  const brought = new Set<ObjectId>();
  const order = poolOrder();
  let revision = 0;
  let isChanged = false;

  function put(entry: PoolEntry): void {
    entries.set(entry.id, entry);
    order.put(entry.row);
    handles.set(entry.handle, entry.id);
    if (isBroughtIn(entry.row)) brought.add(entry.id);
    else brought.delete(entry.id);
  }

  function remove({ id }: PoolEntry): void {
    entries.delete(id);
    brought.delete(id);
    order.forget();
  }

  function keepHandle(row: PoolRow): void {
    retired.set(row.id, row);
    handles.set(row.handle, row.id);
  }

  return {
    entries,
    handles,
    handleCounts: numbers.counts,
    untracked,
    get rows() {
      const groups = order.rows(entries);
      return retired.size === 0 ? listOfGroups(groups) : [...groups.flat(), ...retired.values()];
    },
    get revision() {
      return revision;
    },
    get isChanged() {
      return isChanged;
    },
    noteStored() {
      isChanged = false;
    },
    broughtIn: () => [...brought].flatMap((id) => entries.get(id) ?? []),
    idsWithout: (left) => order.idsWithout(entries, left),
    get: (id) => entries.get(id),
    has: (id) => entries.has(id),
    join(stored, given = {}) {
      const { id } = stored.body;
      const known = entries.get(id);
      const handle = (known ?? retired.get(id))?.handle ?? numbers.next(stored.body.type);
      const row = rowOf(known, { id, handle, ...given });
      if (known?.row === row && known.stored.version === stored.version) return known;
      const entry = { id, handle, stored, row };
      put(entry);
      retired.delete(id);
      if (isFile(stored)) untracked.add(id);
      if (known?.row !== row) isChanged = true;
      if (known !== undefined && known.stored.version > 0) revision += 1;
      return entry;
    },
    adopt: put,
    settle(stored) {
      const entry = entries.get(stored.body.id);
      if (entry !== undefined) entries.set(entry.id, { ...entry, stored });
    },
    forget(ids) {
      for (const id of ids) {
        const entry = entries.get(id);
        if (entry === undefined) continue;
        handles.delete(entry.handle);
        remove(entry);
        isChanged = true;
      }
      revision += 1;
    },
    retire(ids) {
      for (const id of ids) {
        const entry = entries.get(id);
        if (entry === undefined) continue;
        keepHandle(Object.freeze({ id, handle: entry.handle, gone: true }));
        remove(entry);
        untracked.delete(id);
        isChanged = true;
        revision += 1;
      }
    },
    skipHandle(handle) {
      numbers.raise(handle.slice(0, 1), Number(handle.slice(1)));
      isChanged = true;
    },
    noteUntracked: (id) => void untracked.add(id),
    noteTracked(ids) {
      for (const id of ids) untracked.delete(id);
    },
    restore({ pool, handle_counts: counts }, metadata) {
      entries.clear();
      brought.clear();
      order.forget();
      handles.clear();
      retired.clear();
      revision += 1;
      isChanged = true;
      for (const row of pool) {
        if (row.gone === true) keepHandle(row);
        const stored = row.gone === true ? undefined : metadata.get(row.id);
        if (stored === undefined) continue;
        put({ id: row.id, handle: row.handle, stored, row });
        if (isFile(stored)) untracked.add(row.id);
      }
      for (const [letter, count] of Object.entries(counts)) numbers.raise(letter, count);
    },
  };
}

/** Returns the numbers of handles. */
function handleNumbers(): {
  readonly counts: ReadonlyMap<string, number>;
  next(type: string): string;
  raise(letter: string, count: number): void;
} {
  const counts = new Map<string, number>();
  return {
    counts,
    /**
     * Returns the next free handle for an object of a type. A handle is never used again, so an old message cannot name
     * another object (decision D45).
     */
    next(type) {
      const letter = handleLetter(type);
      const count = (counts.get(letter) ?? 0) + 1;
      counts.set(letter, count);
      return `${letter}${count}`;
    },
    raise: (letter, count) => void counts.set(letter, Math.max(count, counts.get(letter) ?? 0)),
  };
}

/** Returns the row of an object that joins: that of its entry if nothing in it changes. */
function rowOf(
  known: PoolEntry | undefined,
  { id, handle, key, loaded, linked }: PoolRow,
): PoolRow {
  const isLinked = known === undefined ? linked : known.row.linked && (linked ?? known.row.linked);
  const isSame = (key === undefined || known?.row.key === key) && known?.row.linked === isLinked;
  if (known !== undefined && isSame) return known.row;
  const isLoaded = known === undefined ? loaded : known.row.loaded;
  return Object.freeze({ id, handle, ...defined({ key, loaded: isLoaded, linked: isLinked }) });
}

/** Whether an object has joined without a message that named it. */
function isBroughtIn({ loaded, linked }: PoolRow): boolean {
  return loaded === true || linked !== undefined;
}

function isFile({ body }: StoredMetadata): boolean {
  return body.type === "file" || body.type === "note";
}
