import { type ObjectStore, StoreError } from "@self-context-manager/objects";

/** A store that can simulate the death of its process. */
export interface MortalStore {
  readonly store: ObjectStore;
  /**
   * After this many commits the next one fails, and the store no longer answers. `isStored`: whether that commit is
   * stored.
   */
  dieAfter(commits: number, isStored: boolean): void;
  readonly isDead: () => boolean;
  /** Whether the last commit announced another one that has not come yet. */
  readonly isOwed: () => boolean;
}

/** Wraps a store so that its process can die. */
export function mortalStore(inner: ObjectStore): MortalStore {
  let remaining = Number.POSITIVE_INFINITY;
  let storesLast = false;
  let isDead = false;
  let isOwed = false;

  async function answer<Result>(ask: () => Promise<Result>): Promise<Result> {
    if (isDead) throw new StoreError("STORE_UNAVAILABLE", "the process has died");
    return await ask();
  }

  const store: ObjectStore = {
    name: inner.name,
    supports: inner.supports,
    documents: inner.documents,
    commit: async (...args) =>
      await answer(async () => {
        if (remaining > 0) {
          remaining -= 1;
          const result = await inner.commit(...args);
          isOwed = args[1]?.isFollowed === true;
          return result;
        }
        isDead = true;
        if (storesLast) await inner.commit(...args);
        throw new StoreError("STORE_UNAVAILABLE", "the process died in a commit");
      }),
    get: async (...args) => await answer(async () => await inner.get(...args)),
    getMany: async (...args) => await answer(async () => await inner.getMany(...args)),
    describe: async (...args) => await answer(async () => await inner.describe(...args)),
    history: async (...args) => await answer(async () => await inner.history(...args)),
    async *versions(...args) {
      for await (const stored of await answer(async () => inner.versions(...args)))
        yield await answer(async () => stored);
    },
    find: async (...args) => await answer(async () => await inner.find(...args)),
    lookup: async (...args) => await answer(async () => await inner.lookup(...args)),
    referrers: async (...args) => await answer(async () => await inner.referrers(...args)),
    changesSince: async (...args) => await answer(async () => await inner.changesSince(...args)),
    restore: async (...args) => await answer(async () => await inner.restore(...args)),
    rewrite: async (...args) => await answer(async () => await inner.rewrite(...args)),
    privacy: async () => await answer(async () => await inner.privacy()),
    [Symbol.asyncDispose]: async () => await inner[Symbol.asyncDispose](),
  };
  return {
    store,
    isDead: () => isDead,
    isOwed: () => isOwed,
    dieAfter(commits, isStored) {
      remaining = commits;
      storesLast = isStored;
    },
  };
}
