import { type ObjectStore, StoreError } from "@self-context-manager/objects";

export interface FailingStore {
  readonly store: ObjectStore;
  readonly commits: () => number;
  readonly failAt: (commit: number) => void;
}

/** A store that refuses its nth commit, as if its disk were full. */
export function failingStore(inner: ObjectStore): FailingStore {
  let commits = 0;
  let failing = 0;
  const store: ObjectStore = Object.assign(Object.create(inner) as ObjectStore, {
    commit: async (...args: Parameters<ObjectStore["commit"]>) => {
      commits += 1;
      if (commits === failing) throw new StoreError("STORE_FULL", "the disk is full");
      return await inner.commit(...args);
    },
  });
  return { store, commits: () => commits, failAt: (commit) => void (failing = commit) };
}
