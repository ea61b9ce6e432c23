import { setTimeout as delay } from "node:timers/promises";
import {
  type CommitResult,
  type JsonObject,
  type ObjectStore,
  type ObjectWrite,
  sealObject,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";
import { randomUUID } from "node:crypto";

/** Returns a store that splits a commit into one commit for each object. */
export function committingApart(store: ObjectStore): ObjectStore {
  return {
    ...store,
    async commit(writes, options) {
      const results: CommitResult[] = [];
      for (const write of writes) results.push(await store.commit([write], options));
      return { versions: results.flatMap(({ versions }) => versions), replayed: false };
    },
  };
}

/** Returns a store that makes the two transactions of a commit with `next` as two commits. */
export function committingNextApart(store: ObjectStore): ObjectStore {
  return {
    ...store,
    async commit(writes, { next, ...options } = {}) {
      const first = await store.commit(writes, options);
      if (next === undefined) return first;
      const second = await store.commit(next(first.versions), options);
      return { versions: [...first.versions, ...second.versions], replayed: false };
    },
  };
}

/** Returns a store that makes one transaction of the two of a commit with `next`. */
export function committingNextAsOne(store: ObjectStore): ObjectStore {
  return {
    ...store,
    async commit(writes, { next, ...options } = {}) {
      if (next === undefined) return await store.commit(writes, options);
      const { tx_id = 0 } = (await store.changesSince()).versions.at(-1)?.at ?? {};
      const made = await Promise.all(
        writes.map(async ({ object: { body } }) => {
          const version = ((await store.get(body.id))?.version ?? 0) + 1;
          return { id: body.id, version, at: { tx_id: tx_id + 1, tx_time: "" }, changed: true };
        }),
      );
      return await store.commit([...writes, ...next(made)], options);
    },
  };
}

/**
 * Returns a store that acknowledges a commit before it is done. Up to five commits wait, as writes in a buffer do.
 */
export function acknowledgingEarly(store: ObjectStore): ObjectStore {
  const waiting: (() => Promise<unknown>)[] = [];
  return {
    ...store,
    async commit(writes, options) {
      waiting.push(() => store.commit(writes, options));
      if (waiting.length > 5) await waiting.shift()?.();
      return { versions: [], replayed: false };
    },
  };
}

/** Returns a store that adds a version for a write without a change. */
export function addingUnchanged(store: ObjectStore): ObjectStore {
  return {
    ...store,
    async commit(writes, options) {
      const result = await store.commit(writes, options);
      for (const { id, changed } of result.versions) {
        const latest = changed ? undefined : await store.get(id);
        if (latest === undefined) continue;
        const at = { ...latest.at, tx_id: latest.at.tx_id + 1000 };
        await store.restore([{ ...latest, version: latest.version + 1, at }]);
      }
      return result;
    },
  };
}

/** Returns a store that silently drops a nickname that is taken. */
export function droppingNicknames(store: ObjectStore): ObjectStore {
  return {
    ...store,
    async commit(writes, options) {
      try {
        return await store.commit(writes, options);
      } catch (error) {
        if (!StoreError.is(error, "NICKNAME_TAKEN")) throw error;
        return store.commit(
          writes.map((write) => changed(write, withoutNickname)),
          options,
        );
      }
    },
  };
}

/** Returns a store that only knows the request ids of its own lifetime. */
export function forgettingRequests(store: ObjectStore): ObjectStore {
  const lifetime = randomUUID();
  return {
    ...store,
    commit: (writes, { requestId } = {}) =>
      store.commit(
        writes,
        requestId === undefined ? {} : { requestId: `${lifetime} ${requestId}` },
      ),
  };
}

/** Returns a store that changes objects before it commits them. */
export function changingObjects(
  store: ObjectStore,
  change: (body: JsonObject) => JsonObject,
): ObjectStore {
  return {
    ...store,
    commit: (writes, options) =>
      store.commit(
        writes.map((write) => changed(write, change)),
        options,
      ),
  };
}

/** Returns a store that imports versions as new commits, with new transactions. */
export function renumbering(store: ObjectStore): ObjectStore {
  return {
    ...store,
    async restore(versions: readonly StoredVersion[]) {
      for (const { body } of versions) await store.commit([{ object: sealObject({ ...body }) }]);
      return { added: versions.length };
    },
  };
}

function changed(write: ObjectWrite, change: (body: JsonObject) => JsonObject): ObjectWrite {
  const { id, type, content, locked, provenance } = write.object.body;
  const object = sealObject({
    id,
    type,
    content,
    locked,
    provenance,
    ...change(write.object.body),
  });
  return { ...write, object };
}

function withoutNickname(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([field]) => field !== "nickname"));
}

/** Returns a store that removes objects first, and rewrites others some time later. */
export function rewritingApart(store: ObjectStore): ObjectStore {
  return {
    ...store,
    async rewrite({ remove = [], ...others }) {
      await store.rewrite({ objects: [], change: () => undefined, remove });
      await delay(500);
      return await store.rewrite(others);
    },
  };
}
