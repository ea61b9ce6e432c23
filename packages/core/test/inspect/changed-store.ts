import type { ObjectStore, StoredVersion } from "@self-context-manager/objects";

/** A store in which versions of objects have other fields, or are missing. */
export function changedStore(
  store: ObjectStore,
  change: (stored: StoredVersion) => StoredVersion | undefined,
): ObjectStore {
  const changed = (stored: StoredVersion | undefined): StoredVersion | undefined =>
    stored === undefined ? undefined : change(stored);
  return {
    ...store,
    get: async (...args) => changed(await store.get(...args)),
    getMany: async (...args) => (await store.getMany(...args)).map(changed),
    async *versions(...args) {
      for await (const stored of store.versions(...args)) {
        const made = change(stored);
        if (made !== undefined) yield made;
      }
    },
  };
}

/** A store that has lost all objects of a type. */
export function storeWithout(store: ObjectStore, type: string): ObjectStore {
  return changedStore(store, (stored) => (stored.body.type === type ? undefined : stored));
}
