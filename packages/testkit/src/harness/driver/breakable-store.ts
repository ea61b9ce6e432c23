import { type ObjectStore, StoreError } from "@self-context-manager/objects";
import { setImmediate as nextTick } from "node:timers/promises";

/** Whether a store is unavailable. It can be changed while the store is in use. */
export interface Availability {
  /** `silent`: operations do not answer until this changes. */
  isBroken: boolean | "silent";
}

/** Returns a store that rejects every operation while `availability.isBroken` is set, or does not answer. */
export function breakableStore(store: ObjectStore, availability: Availability): ObjectStore {
  const check = async (): Promise<void> => {
    while (availability.isBroken === "silent") await nextTick();
    if (availability.isBroken)
      throw new StoreError("STORE_UNAVAILABLE", "the store cannot be reached");
  };
  return {
    name: store.name,
    supports: store.supports,
    documents: store.documents,
    commit: async (...args) => (await check(), await store.commit(...args)),
    get: async (...args) => (await check(), await store.get(...args)),
    getMany: async (...args) => (await check(), await store.getMany(...args)),
    describe: async (...args) => (await check(), await store.describe(...args)),
    history: async (...args) => (await check(), await store.history(...args)),
    async *versions(...args) {
      await check();
      for await (const stored of store.versions(...args)) {
        await check();
        yield stored;
      }
    },
    find: async (...args) => (await check(), await store.find(...args)),
    lookup: async (...args) => (await check(), await store.lookup(...args)),
    referrers: async (...args) => (await check(), await store.referrers(...args)),
    changesSince: async (...args) => (await check(), await store.changesSince(...args)),
    restore: async (...args) => (await check(), await store.restore(...args)),
    rewrite: async (...args) => (await check(), await store.rewrite(...args)),
    privacy: async () => (await check(), await store.privacy()),
    [Symbol.asyncDispose]: async () => await store[Symbol.asyncDispose](),
  };
}
