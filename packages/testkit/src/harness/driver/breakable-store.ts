import { type ObjectStore, StoreError } from "@self-context-manager/objects";

/** Whether a store is unavailable. It can be changed while the store is in use. */
export interface Availability {
  isBroken: boolean;
}

/** Returns a store that rejects every operation while `availability.isBroken` is set. */
export function breakableStore(store: ObjectStore, availability: Availability): ObjectStore {
  const check = (): void => {
    if (availability.isBroken)
      throw new StoreError("STORE_UNAVAILABLE", "the store cannot be reached");
  };
  return {
    name: store.name,
    supports: store.supports,
    documents: store.documents,
    commit: async (...args) => (check(), await store.commit(...args)),
    get: async (...args) => (check(), await store.get(...args)),
    getMany: async (...args) => (check(), await store.getMany(...args)),
    describe: async (...args) => (check(), await store.describe(...args)),
    history: async (...args) => (check(), await store.history(...args)),
    async *versions(...args) {
      check();
      for await (const stored of store.versions(...args)) {
        check();
        yield stored;
      }
    },
    find: async (...args) => (check(), await store.find(...args)),
    lookup: async (...args) => (check(), await store.lookup(...args)),
    referrers: async (...args) => (check(), await store.referrers(...args)),
    changesSince: async (...args) => (check(), await store.changesSince(...args)),
    restore: async (...args) => (check(), await store.restore(...args)),
    [Symbol.asyncDispose]: async () => await store[Symbol.asyncDispose](),
  };
}
