import { type ObjectStore, StoreError } from "@self-context-manager/objects";

/** A store that another process's death can be played on. */
export interface MortalStore {
  readonly store: ObjectStore;
  /** From the commit after so many on, nothing answers any more; that commit itself is stored or not. */
  dieAfter(commits: number, isStored: boolean): void;
  readonly isDead: () => boolean;
  /** Whether the last commit said that another follows, which has not come. */
  readonly isOwed: () => boolean;
}

/** Puts a store behind a process that can die. */
export function mortalStore(inner: ObjectStore): MortalStore {
  let left = Number.POSITIVE_INFINITY;
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
    commit: async (...args) =>
      await answer(async () => {
        if (left > 0) {
          left -= 1;
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
    find: async (...args) => await answer(async () => await inner.find(...args)),
    lookup: async (...args) => await answer(async () => await inner.lookup(...args)),
    referrers: async (...args) => await answer(async () => await inner.referrers(...args)),
    changesSince: async (...args) => await answer(async () => await inner.changesSince(...args)),
    restore: async (...args) => await answer(async () => await inner.restore(...args)),
    [Symbol.asyncDispose]: async () => await inner[Symbol.asyncDispose](),
  };
  return {
    store,
    isDead: () => isDead,
    isOwed: () => isOwed,
    dieAfter(commits, isStored) {
      left = commits;
      storesLast = isStored;
    },
  };
}
