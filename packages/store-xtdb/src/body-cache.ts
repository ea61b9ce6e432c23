import type { JsonObject, ObjectId, StoredVersion } from "@self-context-manager/objects";

/** A version together with what the next one is written against. */
export interface Head {
  readonly stored: StoredVersion;
  /** The number of its object among all, in order of first commit. */
  readonly place: number;
  /** The version from which its deltas count. */
  readonly base: number;
  /** Characters of the deltas since the base. */
  readonly weight: number;
  /** Characters of its bulk fields. */
  readonly size: number;
  /** The commit as of which it is known to be its object's latest version. */
  readonly asOf: number;
}

/** The bulk fields of some version of an object, from which a later one can be built. */
export interface Rebuilt {
  readonly version: number;
  readonly bulk: JsonObject;
  readonly size: number;
}

/** Keeps what was used last, up to a number of characters. */
export interface BodyCache<Kept> {
  get(id: ObjectId): Kept | undefined;
  set(id: ObjectId, kept: Kept): void;
  clear(): void;
}

/** Metadata counts as much as a small body. */
const leastCost = 1_000;

export function bodyCache<Kept extends { readonly size: number }>(
  capacity: number,
): BodyCache<Kept> {
  const held = new Map<ObjectId, Kept>();
  let characters = 0;

  function drop(id: ObjectId, kept: Kept): void {
    held.delete(id);
    characters -= kept.size + leastCost;
  }

  return {
    get(id) {
      const kept = held.get(id);
      if (kept === undefined) return undefined;
      held.delete(id);
      held.set(id, kept);
      return kept;
    },
    set(id, kept) {
      const former = held.get(id);
      if (former !== undefined) drop(id, former);
      held.set(id, kept);
      characters += kept.size + leastCost;
      for (const [oldest, old] of held) {
        if (characters <= capacity || oldest === id) break;
        drop(oldest, old);
      }
    },
    clear() {
      held.clear();
      characters = 0;
    },
  };
}
