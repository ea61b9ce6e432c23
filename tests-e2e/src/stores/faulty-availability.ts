import {
  type CommitOptions,
  type CommitResult,
  type ObjectStore,
  type ObjectWrite,
  StoreError,
} from "@self-context-manager/objects";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import type { PlaceOptions } from "@self-context-manager/store-contract";
import { existsSync, linkSync, statSync, writeFileSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";

/**
 * Opens a store that does not notice that its file was deleted. It opens the file by a second link, which remains when
 * the file at the path is deleted.
 */
export async function openUnchecked(path: string, options?: PlaceOptions): Promise<ObjectStore> {
  if (!existsSync(path)) writeFileSync(path, "");
  const held = `${path}.${statSync(path).ino}`;
  if (!existsSync(held)) linkSync(path, held);
  return await openSqliteStore({ path: held, ...options });
}

/** Opens a store that copies its file to another place, and begins with that copy if its file is missing. */
export async function openWithCopy(path: string, options?: PlaceOptions): Promise<ObjectStore> {
  const kept = `${path}.copy`;
  if (!existsSync(path) && existsSync(kept)) await copyFile(kept, path);
  const store = await openSqliteStore({ path, ...options });
  const copy = await openSqliteStore({ path: kept, ...options });
  return {
    ...store,
    async commit(writes, commitOptions) {
      const result = await store.commit(writes, commitOptions);
      await copy.commit(writes, commitOptions);
      return result;
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await copy[Symbol.asyncDispose]();
    },
  };
}

/** Opens a store that opens a new file at its path for a commit after a loss. */
export async function openReopening(path: string, options?: PlaceOptions): Promise<ObjectStore> {
  const store = await openSqliteStore({ path, ...options });
  return {
    ...store,
    async commit(writes, commitOptions) {
      try {
        return await store.commit(writes, commitOptions);
      } catch (error) {
        if (!StoreError.is(error, "STORE_LOST")) throw error;
        await using fresh = await openSqliteStore({ path, ...options });
        return await fresh.commit(writes, commitOptions);
      }
    },
  };
}

/** Opens a store that removes the file at its path when it is closed after a loss. */
export async function openRemoving(path: string, options?: PlaceOptions): Promise<ObjectStore> {
  const store = await openSqliteStore({ path, ...options });
  let isLost = false;
  return {
    ...store,
    async commit(writes, commitOptions) {
      try {
        return await store.commit(writes, commitOptions);
      } catch (error) {
        isLost ||= StoreError.is(error, "STORE_LOST");
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      if (isLost) await rm(path, { force: true });
    },
  };
}

/** One refused commit: its writes, its options, and its number among the refused ones, from 1. */
export interface Refused {
  readonly writes: readonly ObjectWrite[];
  readonly options: CommitOptions;
  readonly time: number;
}

/** Returns a store that reports success for some of the commits that it refuses with a code. */
export function acknowledgingRefused(
  store: ObjectStore,
  code: "STORE_LOST" | "STORE_BUSY",
  isAcknowledged: (refused: Refused) => boolean,
): ObjectStore {
  let time = 0;
  return {
    ...store,
    async commit(writes, options = {}) {
      try {
        return await store.commit(writes, options);
      } catch (error) {
        if (!StoreError.is(error, code)) throw error;
        time += 1;
        if (!isAcknowledged({ writes, options, time })) throw error;
        return { versions: [], replayed: false };
      }
    },
  };
}

/** Returns a store that reports success for the imports that it refuses with a code. */
export function acknowledgingImports(
  store: ObjectStore,
  code: "STORE_LOST" | "STORE_BUSY",
): ObjectStore {
  return {
    ...store,
    async restore(versions) {
      try {
        return await store.restore(versions);
      } catch (error) {
        if (!StoreError.is(error, code)) throw error;
        return { added: versions.length };
      }
    },
  };
}

/** Returns a store that keeps a part of each refused commit and writes it once the lock is gone. */
export function writingLater(
  store: ObjectStore,
  partOf: (writes: readonly ObjectWrite[]) => readonly ObjectWrite[],
): ObjectStore {
  let kept: readonly ObjectWrite[] = [];
  async function writeKept(): Promise<void> {
    try {
      await store.commit(kept.map(({ object }) => ({ object })));
      kept = [];
    } catch (error) {
      if (!StoreError.is(error, "STORE_BUSY")) throw error;
    }
  }
  return {
    ...store,
    async commit(writes, options) {
      try {
        return await store.commit(writes, options);
      } catch (error) {
        if (StoreError.is(error, "STORE_BUSY")) kept = partOf(writes);
        throw error;
      }
    },
    async changesSince(position, options) {
      if (kept.length > 0) await writeKept();
      return await store.changesSince(position, options);
    },
  };
}

/** Returns a store that records a request id before the commit is made. */
export function recordingRequestsFirst(store: ObjectStore): ObjectStore {
  const outcomes = new Map<string, CommitResult>();
  return {
    ...store,
    async commit(writes, options = {}) {
      const { requestId = "" } = options;
      const known = outcomes.get(requestId);
      if (known !== undefined) return { ...known, replayed: true };
      if (requestId !== "") outcomes.set(requestId, { versions: [], replayed: false });
      return await store.commit(writes, options);
    },
  };
}

/** Returns a store that caches the nicknames of a commit before the commit is made. */
export function cachingNicknamesFirst(store: ObjectStore): ObjectStore {
  const nicknames = new Set<string>();
  return {
    ...store,
    async commit(writes, options) {
      for (const { object } of writes) nicknames.add(object.body.nickname ?? "");
      return await store.commit(writes, options);
    },
    async lookup(nickname) {
      const stored = await store.lookup(nickname);
      return stored ?? (nicknames.has(nickname) ? (await store.find({})).items[0] : undefined);
    },
  };
}

/** Returns a store that does not read between a refused commit and the next one that succeeds. */
export function refusingReads(store: ObjectStore): ObjectStore {
  let refusal: StoreError | undefined;
  return {
    ...store,
    async commit(writes, options) {
      try {
        const result = await store.commit(writes, options);
        refusal = undefined;
        return result;
      } catch (error) {
        if (StoreError.is(error)) refusal = error;
        throw error;
      }
    },
    async get(id, at) {
      if (refusal !== undefined) throw refusal;
      return await store.get(id, at);
    },
  };
}

/** Returns a store that acknowledges a commit at once and makes it in the background. */
export function writingInBackground(store: ObjectStore): ObjectStore {
  return {
    ...store,
    async commit(writes, options) {
      // The caller does not get the error, which is the fault.
      void store.commit(writes, options).catch(() => undefined);
      return { versions: [], replayed: false };
    },
  };
}
