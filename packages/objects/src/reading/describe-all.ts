import type { ObjectId } from "../model/object-id.ts";
import type { StoredMetadata } from "../model/stored-version.ts";
import type { ObjectStore } from "../ports/object-store.ts";

const batch = 500;

/** Returns the metadata of many objects by id, in their order, read in batches. Missing objects are omitted. */
export async function describeAll(
  store: ObjectStore,
  ids: Iterable<ObjectId>,
): Promise<ReadonlyMap<ObjectId, StoredMetadata>> {
  const found = new Map<ObjectId, StoredMetadata>();
  const all = [...new Set(ids)];
  for (let start = 0; start < all.length; start += batch) {
    for (const stored of await store.describe(all.slice(start, start + batch))) {
      if (stored !== undefined) found.set(stored.body.id, stored);
    }
  }
  return found;
}
