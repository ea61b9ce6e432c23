import {
  canonicalJson,
  type JsonValue,
  type ObjectId,
  type ObjectStore,
  StoreError,
  type StoredVersion,
} from "@self-context-manager/core";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import type { CreatePlace, LawName } from "@self-context-manager/testkit";

import {
  addingUnchanged,
  changingObjects,
  committingApart,
  droppingNicknames,
  forgettingRequests,
  renumbering,
} from "./faulty-stores.ts";
import { folderPlace, memoryPlace } from "./places.ts";

/** Faults by the law that each breaks: a sentence about the store, and places for it. */
export const faults: Readonly<Record<LawName, Readonly<Record<string, CreatePlace>>>> = {
  "read-your-writes": {
    "answers an object from a cache that no commit clears": broken((store) => {
      const cache = new Map<ObjectId, StoredVersion | undefined>();
      return {
        async get(id, at) {
          if (at !== undefined) return store.get(id, at);
          if (!cache.has(id)) cache.set(id, await store.get(id));
          return cache.get(id);
        },
      };
    }),
    "does not find what was committed last": broken((store) => ({
      async find(query) {
        const { versions } = await store.changesSince();
        const page = await store.find(query);
        return {
          ...page,
          items: page.items.filter(({ at }) => at.tx_id !== versions.at(-1)?.at.tx_id),
        };
      },
    })),
  },
  "commit-is-atomic": { "writes the objects one by one": broken(committingApart) },
  "versions-never-change": {
    "answers the content of a later version": broken((store) => ({
      async get(id, at) {
        const stored = await store.get(id, at);
        const later = stored && (await store.get(id, { version: stored.version + 1 }));
        return stored && later ? { ...stored, body: later.body } : stored;
      },
    })),
    "lets a caller write into what it keeps": broken((store) => {
      const kept = new Map<ObjectId, Awaited<ReturnType<ObjectStore["history"]>>>();
      return {
        async history(id, options) {
          const known = kept.get(id) ?? [];
          const rest = await store.history(id, { after: known.length });
          kept.set(id, [...known, ...rest]);
          return options === undefined ? [...known, ...rest] : store.history(id, options);
        },
      };
    }),
  },
  "versions-are-ordered": {
    "answers what was before a transaction, not as of it": broken((store) => ({
      get: (id, at) => store.get(id, at !== undefined && "txId" in at ? { txId: at.txId - 1 } : at),
    })),
    "tells a history from its end": broken((store) => ({
      history: async (id, options) => (await store.history(id, options)).toReversed(),
    })),
  },
  "time-agrees-with-order": {
    "answers what was before a time, not at it": broken((store) => ({
      get: (id, at) =>
        store.get(
          id,
          at !== undefined && "txTime" in at
            ? { txTime: new Date(Date.parse(at.txTime) - 1).toISOString() }
            : at,
        ),
    })),
    "takes the clock's word when it steps back": broken((store, clock) => ({
      async commit(writes, options) {
        const result = await store.commit(writes, options);
        const tx_time = new Date(clock.now()).toISOString();
        return {
          ...result,
          versions: result.versions.map((one) => ({ ...one, at: { ...one.at, tx_time } })),
        };
      },
    })),
  },
  "content-hash-finds-version": {
    "answers the oldest version with a content": broken((store) => ({
      async get(id, at) {
        if (at === undefined || !("contentHash" in at)) return store.get(id, at);
        const oldest = (await store.history(id)).find(
          ({ hashes }) => hashes.content_hash === at.contentHash,
        );
        return oldest && store.get(id, { version: oldest.version });
      },
    })),
  },
  "unchanged-adds-no-version": { "adds a version all the same": broken(addingUnchanged) },
  "compare-and-set": {
    "does not look at the expected version": broken((store) => ({
      commit: (writes, options) =>
        store.commit(
          writes.map(({ object }) => ({ object })),
          options,
        ),
    })),
  },
  "request-id-replays": {
    "does not know request ids": broken((store) => ({ commit: (writes) => store.commit(writes) })),
    "replays for other writes too": broken((store) => {
      const outcomes = new Map<string, Awaited<ReturnType<ObjectStore["commit"]>>>();
      return {
        async commit(writes, { requestId = "" } = {}) {
          const known = outcomes.get(requestId);
          if (known !== undefined) return { ...known, replayed: true };
          const result = await store.commit(writes);
          if (requestId !== "") outcomes.set(requestId, result);
          return result;
        },
      };
    }),
    "forgets request ids when it is closed": () =>
      folderPlace(async (path, options) =>
        forgettingRequests(await openSqliteStore({ path, ...options })),
      ),
  },
  "nickname-is-unique": { "drops a nickname that is taken": broken(droppingNicknames) },
  "absent-is-undefined": {
    "rejects for an unknown id": broken((store) => ({
      async get(id, at) {
        const stored = await store.get(id, at);
        if (stored === undefined) throw new Error(`there is no ${id}`);
        return stored;
      },
    })),
  },
  "deletion-keeps-history": {
    "forgets the versions before a deletion": broken((store) => ({
      async get(id, at) {
        const latest = await store.get(id);
        return latest?.body.content === null && at !== undefined ? undefined : store.get(id, at);
      },
    })),
  },
  "find-agrees-with-scan": {
    "orders by id": broken((store) => ({
      async find(query) {
        const page = await store.find(query);
        return {
          ...page,
          items: page.items.toSorted((one, other) => (one.body.id < other.body.id ? -1 : 1)),
        };
      },
    })),
    "takes null for a value that must be there": broken((store) => ({
      async find(query) {
        const page = await store.find(query);
        const wanted = Object.entries(query.where ?? {}).filter(([, value]) => value === null);
        return {
          ...page,
          items: page.items.filter(({ body }) => wanted.every(([field]) => field in body)),
        };
      },
    })),
  },
  "metadata-loads-no-content": {
    "answers whole objects": broken((store) => ({
      async find(query) {
        const page = await store.find(query);
        const whole = await store.getMany(page.items.map(({ body }) => body.id));
        return {
          ...page,
          items: page.items.map((item, index) => Object.assign(item, { body: whole[index]?.body })),
        };
      },
    })),
  },
  "hashes-are-true": {
    "hashes a text with its line ends made equal": broken((store) => ({
      async get(id, at) {
        const stored = await store.get(id, at);
        if (!stored?.body.content?.includes("\r")) return stored;
        return { ...stored, hashes: { ...stored.hashes, content_hash: stored.hashes.object_hash } };
      },
    })),
  },
  "backlinks-agree-with-scan": {
    "does not look at the kind": broken((store) => ({
      referrers: (id, { limit = 100, after } = {}) =>
        store.referrers(id, after === undefined ? { limit } : { limit, after }),
    })),
    "loses references at the end of long lists": broken((store) => ({
      async referrers(id, options) {
        const page = await store.referrers(id, options);
        return { ...page, items: page.items.filter(({ path }) => !/\/\d\d$/.test(path)) };
      },
    })),
  },
  "unresolved-references-stay": {
    "tells of references to objects that are there only": broken((store) => ({
      referrers: async (id, options) =>
        (await store.get(id)) === undefined ? { items: [] } : store.referrers(id, options),
    })),
  },
  "changes-since-is-complete": {
    "passes over a version between two pages": broken((store) => ({
      async changesSince(position, options) {
        const changes = await store.changesSince(position, options);
        return options?.limit === changes.versions.length
          ? { ...changes, position: String(Number(changes.position) + 1) }
          : changes;
      },
    })),
  },
  "export-round-trips": { "numbers imported versions anew": broken(renumbering) },
  "import-is-resumable": {
    "rejects what is there already": broken((store) => ({
      async restore(versions) {
        for (const { body, version } of versions) {
          if (await store.get(body.id, { version }))
            throw new StoreError("HISTORY_CONFLICT", "it is there");
        }
        return store.restore(versions);
      },
    })),
    "passes over a different history": broken((store) => ({
      async restore(versions) {
        try {
          return await store.restore(versions);
        } catch (error) {
          if (StoreError.is(error, "HISTORY_CONFLICT")) return { added: 0 };
          throw error;
        }
      },
    })),
  },
  "order-survives": {
    "sorts what was said": broken((store) => ({
      async get(id, at) {
        const stored = await store.get(id, at);
        if (stored === undefined) return undefined;
        return { ...stored, body: JSON.parse(canonicalJson(stored.body)) as typeof stored.body };
      },
    })),
  },
  "references-resolve": {
    "answers the latest for every transaction": broken((store) => ({
      get: async (id, at) => await store.get(id, at !== undefined && "txId" in at ? undefined : at),
    })),
    "numbers the transactions of imported versions anew": broken(renumbering),
  },
  "text-survives": {
    "ends a text at a zero": broken((store) =>
      changingObjects(store, (body) => ({
        ...body,
        content: textOf(body["content"]).replace(/\0.*$/su, ""),
      })),
    ),
    "drops a byte order mark": broken((store) =>
      changingObjects(store, (body) => ({
        ...body,
        content: textOf(body["content"]).replace(/^\ufeff/u, ""),
      })),
    ),
  },
  "closed-rejects": {
    "goes on after it was closed": broken(() => ({ async [Symbol.asyncDispose]() {} })),
  },
  "survives-reopen": { "keeps everything in memory": memoryPlace },
  "survives-kill": {
    "acknowledges before it has committed": () => sqliteWithChild("acknowledging-early"),
    "writes the objects one by one": () => sqliteWithChild("committing-apart"),
  },
  "two-processes-agree": {
    "has a file for each process": () => sqliteWithChild("elsewhere"),
  },
};

/** Places whose stores are a memory store, but for some operations. */
function broken(
  breaking: (store: ObjectStore, clock: { now(): number }) => Partial<ObjectStore>,
): CreatePlace {
  return async () => {
    const place = await memoryPlace();
    return {
      ...place,
      async open(options) {
        const store = await place.open(options);
        return { ...store, ...breaking(store, options?.clock ?? { now: () => Date.now() }) };
      },
    };
  };
}

/** A SQLite place whose child process is faulty. */
function sqliteWithChild(manner: string): ReturnType<CreatePlace> {
  return folderPlace((path, options) => openSqliteStore({ path, ...options }), manner);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
