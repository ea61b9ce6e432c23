import type { StoredMetadata } from "../model/stored-version.ts";
import type { FindQuery, ObjectStore } from "../ports/object-store.ts";
import { everyItem } from "./every-item.ts";

/** Number of objects in one page. */
const pageSize = 500;

/**
 * Yields the objects of some kinds, the one that changed last first. Nothing is read that the caller does not take, except
 * the rest of a page. An object must be of one kind only.
 */
export async function* lastChanged(
  store: ObjectStore,
  kinds: readonly NonNullable<FindQuery["where"]>[],
): AsyncGenerator<StoredMetadata, void, undefined> {
  const lists = kinds.map((where) =>
    everyItem(
      async (place) =>
        await store.find({ where, lastChangedFirst: true, limit: pageSize, ...place }),
    ),
  );
  const next = await Promise.all(lists.map(async (list) => await list.next()));
  for (;;) {
    let first: { readonly place: number; readonly stored: StoredMetadata } | undefined;
    for (const [place, { value, done }] of next.entries())
      if (done !== true && (first === undefined || value.at.tx_id > first.stored.at.tx_id))
        first = { place, stored: value };
    const list = lists[first?.place ?? -1];
    if (first === undefined || list === undefined) return;
    yield first.stored;
    next[first.place] = await list.next();
  }
}
