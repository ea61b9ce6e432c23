import type { ObjectId } from "../model/object-id.ts";

/** Keeps the entries that were used last, so that a long body is neither read nor parsed for each new version. */
export interface BodyCache<Entry> {
  get(id: ObjectId): Entry | undefined;
  set(id: ObjectId, entry: Entry): void;
  clear(): void;
}

/** An entry also holds metadata, which takes about as much as a small body. */
const metadataSize = 1_000;

/**
 * A cache of entries whose sizes, in characters, add up to the given capacity at most. The entry that was used longest
 * ago is dropped first; the entry that was set last is always kept.
 */
export function bodyCache<Entry extends { readonly size: number }>(
  capacity: number,
): BodyCache<Entry> {
  const entries = new Map<ObjectId, Entry>();
  let characters = 0;

  function drop(id: ObjectId, entry: Entry): void {
    entries.delete(id);
    characters -= entry.size + metadataSize;
  }

  return {
    get(id) {
      const entry = entries.get(id);
      if (entry === undefined) return undefined;
      entries.delete(id);
      entries.set(id, entry);
      return entry;
    },
    set(id, entry) {
      const former = entries.get(id);
      if (former !== undefined) drop(id, former);
      entries.set(id, entry);
      characters += entry.size + metadataSize;
      for (const [oldest, old] of entries) {
        if (characters <= capacity || oldest === id) break;
        drop(oldest, old);
      }
    },
    clear() {
      entries.clear();
      characters = 0;
    },
  };
}
