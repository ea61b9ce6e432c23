import {
  canonicalJson,
  type DocumentIndex,
  type ForgottenText,
  type IndexedNames,
  type JsonValue,
  objectId,
  type ObjectId,
  type ObjectStore,
  type Patience,
  sealObject,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import type { CreatePlace, LawName } from "@self-context-manager/store-contract";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile } from "node:fs/promises";

import {
  addingUnchanged,
  changingObjects,
  committingApart,
  committingNextApart,
  committingNextAsOne,
  droppingNicknames,
  forgettingRequests,
  renumbering,
} from "./faulty-stores.ts";
import { folderPlace, memoryPlace, sqlitePlace } from "./places.ts";
import {
  acknowledgingImports,
  acknowledgingRefused,
  cachingNicknamesFirst,
  openReopening,
  openRemoving,
  openUnchecked,
  openWithCopy,
  recordingRequestsFirst,
  refusingReads,
  writingInBackground,
  writingLater,
} from "./faulty-availability.ts";

/** Faults by the law that each breaks: a description of the store, and places for it. */
export const faults: Readonly<Record<LawName, Readonly<Record<string, CreatePlace>>>> = {
  "read-your-writes": {
    "returns an object from a cache that no commit clears": broken((store) => {
      const cache = new Map<ObjectId, StoredVersion | undefined>();
      return {
        async get(id, at) {
          if (at !== undefined) return store.get(id, at);
          if (!cache.has(id)) cache.set(id, await store.get(id));
          return cache.get(id);
        },
      };
    }),
    "does not find the objects of the last commit": broken((store) => ({
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
  "next-follows-at-once": {
    "stores the first transaction if the second is refused": broken(committingNextApart),
    "writes both in one transaction": broken(committingNextAsOne),
  },
  "versions-never-change": {
    "returns the content of a later version": broken((store) => ({
      async get(id, at) {
        const stored = await store.get(id, at);
        const later = stored && (await store.get(id, { version: stored.version + 1 }));
        return stored && later ? { ...stored, body: later.body } : stored;
      },
    })),
    "lets a caller change its cached answers": broken((store) => {
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
    "returns the version before a transaction instead of the one as of it": broken((store) => ({
      get: (id, at) => store.get(id, at !== undefined && "txId" in at ? { txId: at.txId - 1 } : at),
    })),
    "returns a history in reverse order": broken((store) => ({
      history: async (id, options) => (await store.history(id, options)).toReversed(),
    })),
  },
  "time-agrees-with-order": {
    "returns the version before a time instead of the one at it": broken((store) => ({
      get: (id, at) =>
        store.get(
          id,
          at !== undefined && "txTime" in at
            ? { txTime: new Date(Date.parse(at.txTime) - 1).toISOString() }
            : at,
        ),
    })),
    "uses the clock's time when it steps back": broken((store, clock) => ({
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
  "times-are-bounded": {
    "keeps the time of a clock that ran ahead": broken((store) => {
      let latest = "";
      return {
        async commit(writes, options) {
          const result = await store.commit(writes, options);
          const versions = result.versions.map((one) => {
            if (one.at.tx_time > latest) latest = one.at.tx_time;
            return { ...one, at: { ...one.at, tx_time: latest } };
          });
          return { ...result, versions };
        },
      };
    }),
    "follows a clock of any year": broken((store, clock) => ({
      async commit(writes, options) {
        const result = await store.commit(writes, options);
        const tx_time = new Date(clock.now()).toISOString();
        return {
          ...result,
          versions: result.versions.map((one) => ({ ...one, at: { ...one.at, tx_time } })),
        };
      },
    })),
    "accepts any transaction of another store": broken((store) => ({
      restore: (versions) => store.restore(versions).catch(() => ({ added: versions.length })),
    })),
  },
  "content-hash-finds-version": {
    "returns the oldest version with a content": broken((store) => ({
      async get(id, at) {
        if (at === undefined || !("contentHash" in at)) return store.get(id, at);
        const oldest = (await store.history(id)).find(
          ({ hashes }) => hashes.content_hash === at.contentHash,
        );
        return oldest && store.get(id, { version: oldest.version });
      },
    })),
  },
  "unchanged-adds-no-version": {
    "adds a version for an unchanged object": broken(addingUnchanged),
  },
  "compare-and-set": {
    "ignores the expected version": broken((store) => ({
      commit: (writes, options) =>
        store.commit(
          writes.map(({ object }) => ({ object })),
          options,
        ),
    })),
  },
  "request-id-replays": {
    "ignores request ids": broken((store) => ({ commit: (writes) => store.commit(writes) })),
    "replays a request id for different writes": broken((store) => {
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
    "requires a stored null where a field may be absent": broken((store) => ({
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
    "returns whole objects": broken((store) => ({
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
    "returns a wrong content hash for texts with carriage returns": broken((store) => ({
      async get(id, at) {
        const stored = await store.get(id, at);
        if (!stored?.body.content?.includes("\r")) return stored;
        return { ...stored, hashes: { ...stored.hashes, content_hash: stored.hashes.object_hash } };
      },
    })),
  },
  "backlinks-agree-with-scan": {
    "ignores the kind of reference": broken((store) => ({
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
    "reports only references to existing objects": broken((store) => ({
      referrers: async (id, options) =>
        (await store.get(id)) === undefined ? { items: [] } : store.referrers(id, options),
    })),
  },
  "find-by-last-change": {
    "lists by first commits": broken((store) => ({
      find: async ({ lastChangedFirst, ...query }) =>
        await store.find({ ...query, newestFirst: lastChangedFirst === true }),
    })),
    "forgets an object at the end of a page": broken((store) => ({
      async find(query) {
        const page = await store.find(query);
        if (query.lastChangedFirst !== true || page.next === undefined) return page;
        return { ...page, next: String(Number(page.next) - 1) };
      },
    })),
  },
  "changes-since-counts": {
    "counts the versions of the answer": broken((store) => ({
      async changesSince(position, options) {
        const changes = await store.changesSince(position, options);
        return changes.left === undefined
          ? changes
          : { ...changes, left: changes.left + changes.versions.length };
      },
    })),
  },
  "changes-since-is-complete": {
    "skips a version between two pages": broken((store) => ({
      async changesSince(position, options) {
        const changes = await store.changesSince(position, options);
        return options?.limit === changes.versions.length
          ? { ...changes, position: String(Number(changes.position) + 1) }
          : changes;
      },
    })),
  },
  "export-round-trips": {
    "renumbers imported versions": broken(renumbering),
    "accepts versions without the earlier ones": broken((store) => ({
      async restore(versions) {
        return await store.restore(versions, { gaps: true });
      },
    })),
  },
  "import-is-resumable": {
    "rejects versions that it already has": broken((store) => ({
      async restore(versions) {
        for (const { body, version } of versions) {
          if (await store.get(body.id, { version }))
            throw new StoreError("HISTORY_CONFLICT", "the version already exists");
        }
        return store.restore(versions);
      },
    })),
    "ignores a conflicting history": broken((store) => ({
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
  "gaps-are-kept": {
    "numbers the versions after a gap on": broken((store) => ({
      async restore(versions, options) {
        const numbered: StoredVersion[] = [];
        for (const stored of versions) {
          const known = numbered.findLast(({ body }) => body.id === stored.body.id);
          const latest = known ?? (await store.get(stored.body.id));
          numbered.push({
            ...stored,
            version: Math.min(stored.version, 1 + (latest?.version ?? 0)),
          });
        }
        return store.restore(numbered, options);
      },
    })),
    "returns the version before for a missing one": broken((store) => ({
      async get(id, at) {
        const found = await store.get(id, at);
        if (found !== undefined || at === undefined || !("version" in at)) return found;
        const earlier = await store.history(id);
        const last = earlier.findLast(({ version }) => version <= at.version);
        return last && store.get(id, { version: last.version });
      },
    })),
    "counts missing versions in a history": broken((store) => ({
      async history(id, { after = 0, limit } = {}) {
        const all = await store.history(id, { after });
        return all.filter(({ version }) => limit === undefined || version <= after + limit);
      },
    })),
    "accepts gaps without being asked": broken((store) => ({
      restore: (versions) => store.restore(versions, { gaps: true }),
    })),
  },
  "import-is-whole": {
    "does not know its objects before it writes": broken(() => ({
      describe: async (ids) => ids.map(() => undefined),
    })),
    "does not know its nicknames before it writes": broken(() => ({
      lookup: async () => undefined,
    })),
    "does not return the versions to compare": broken(() => ({ history: async () => [] })),
  },
  "order-survives": {
    "sorts the fields of messages": broken((store) => ({
      async get(id, at) {
        const stored = await store.get(id, at);
        if (stored === undefined) return undefined;
        return { ...stored, body: JSON.parse(canonicalJson(stored.body)) as typeof stored.body };
      },
    })),
  },
  "references-resolve": {
    "returns the latest version for every transaction": broken((store) => ({
      get: async (id, at) => await store.get(id, at !== undefined && "txId" in at ? undefined : at),
    })),
    "renumbers the transactions of imported versions": broken(renumbering),
  },
  "versions-agree-with-get": {
    "ends a reading after its first page": broken((store) => ({
      async *versions(id, { from = 1, to = Infinity } = {}) {
        yield* store.versions(id, { from, to: Math.min(to, from + 99) });
      },
    })),
    "reads versions whose parts are not shared": broken((store) => ({
      async *versions(id, range) {
        for await (const stored of store.versions(id, range))
          yield { ...stored, body: sealedBody(stored) };
      },
    })),
    "shares parts with another order of fields": broken((store) => ({
      async *versions(id, range) {
        let args: JsonValue | undefined;
        for await (const stored of store.versions(id, range)) {
          args ??= stored.body["args"];
          yield args === undefined ? stored : { ...stored, body: { ...stored.body, args } };
        }
      },
    })),
  },
  "text-survives": {
    "ends a text at a null character": broken((store) =>
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
  "documents-are-found": {
    "finds a link by the first of its keys only": brokenIndex((index) => ({
      linking: async (parser, keys) =>
        (await index.linking(parser, keys)).filter(({ link }) => keys.includes(link.name)),
    })),
    "ends a page of links within a document": brokenIndex((index) => ({
      links: async (parser, options) =>
        (await index.links(parser, options)).slice(0, options?.limit),
    })),
    "keeps what a newer entry no longer has": brokenIndex((index) => ({
      async keep(parser, entries, position) {
        const ids = entries.map(({ names }) => names.id);
        const former = await index.entries(parser, ids);
        const joined = entries.map((entry, number) => ({
          ...entry,
          keys: {
            ...entry.keys,
            names: [...new Set([...entry.keys.names, ...(former[number]?.names.aliases ?? [])])],
          },
        }));
        await index.keep(parser, joined, position);
      },
    })),
  },
  "documents-keep-newest": {
    "keeps the entry that came last": brokenIndex((index) => ({
      keep: (parser, entries, position) =>
        index.keep(
          parser,
          entries.map((entry) => ({ ...entry, version: 9 })),
          position,
        ),
    })),
    "does not move on if an entry is old": brokenIndex((index) => ({
      async keep(parser, entries, position) {
        const ids = entries.map(({ names }) => names.id);
        const known = await index.entries(parser, ids);
        const isOld = entries.some(
          ({ version }, number) => version < (known[number]?.version ?? 0),
        );
        if (!isOld) await index.keep(parser, entries, position);
      },
    })),
  },
  "documents-belong-to-parser": {
    "ignores the parser": brokenIndex((index) => ({
      position: () => index.position("one"),
      keep: (_, entries, position) => index.keep("one", entries, position),
      entries: (_, ids) => index.entries("one", ids),
      named: (_, keys) => index.named("one", keys),
      linking: (_, keys) => index.linking("one", keys),
      tagged: (_, tag) => index.tagged("one", tag),
      tags: () => index.tags("one"),
      links: (_, options) => index.links("one", options),
    })),
  },
  "documents-are-apart": {
    "makes a version of a document that it keeps": broken((store) => ({
      documents: {
        ...store.documents,
        async keep(parser, entries, position) {
          await store.documents.keep(parser, entries, position);
          const [stored] = await store.getMany(entries.map(({ names }) => names.id));
          if (stored !== undefined)
            await store.commit([{ object: sealObject({ ...stored.body, derived: true }) }]);
        },
      },
    })),
  },
  "rewritten-keeps-its-place": {
    "keeps what a version was": broken((store) => ({
      rewrite: async (request) => await store.rewrite({ ...request, change: () => undefined }),
    })),
    "changes the number of a version": broken((store) => ({
      async history(id, options) {
        const { generation } = await store.privacy();
        const versions = await store.history(id, options);
        return versions.map((one) => ({ ...one, version: one.version + generation }));
      },
      async changesSince(position, options) {
        const { generation } = await store.privacy();
        const changes = await store.changesSince(position, options);
        return generation === 0 ? changes : { ...changes, versions: changes.versions.toReversed() };
      },
    })),
  },
  "rewritten-is-gone": {
    "keeps the former versions in its document index": broken((store) => {
      const kept = new Map<string, readonly IndexedNames[]>();
      return {
        documents: {
          ...store.documents,
          async keep(parser, entries, position) {
            for (const { names, keys } of entries)
              for (const key of keys.names) kept.set(key, [names]);
            await store.documents.keep(parser, entries, position);
          },
          named: async (_, keys) => keys.flatMap((key) => kept.get(key) ?? []),
        },
      };
    }),
    "keeps the former versions in its file": brokenFile((store) => ({
      ...store,
      async rewrite(request) {
        const copy = await store.get(request.objects[0] ?? objectId("a"), { version: 3 });
        const result = await store.rewrite(request);
        if (copy !== undefined)
          await store.commit([{ object: sealObject({ ...copy.body, id: objectId("copy") }) }]);
        return result;
      },
    })),
  },
  "removed-is-absent": {
    "keeps what is removed": broken((store) => ({
      rewrite: async (request) => await store.rewrite({ ...request, remove: [] }),
    })),
    "does not say that the positions begin again": broken((store) => ({
      async changesSince(position, options) {
        const { restarted: _, ...changes } = await store.changesSince(position, options);
        return changes;
      },
    })),
  },
  "rewrite-is-atomic": {
    "rewrites the objects one by one": broken((store) => ({
      async rewrite(request) {
        const { objects, ...others } = request;
        await store.rewrite({ ...others, objects: [] });
        return await store.rewrite({ ...request, objects, remove: [], forgotten: [] });
      },
    })),
  },
  "rewrite-survives-kill": {
    "removes first, and rewrites in a second step": () => sqliteWithChild("rewriting-apart"),
  },
  "rewrite-is-noticed": {
    "takes a commit of what was read before": broken((store) => ({
      async commit(writes, options) {
        const { generation: _, ...others } = options ?? {};
        return await store.commit(writes, others);
      },
    })),
    "returns versions from a cache": broken((store) => {
      const cache = new Map<ObjectId, StoredVersion | undefined>();
      return {
        async getMany(ids) {
          const found = await store.getMany(ids);
          ids.forEach((id, index) => cache.set(id, found[index]));
          return found;
        },
        get: async (id, at) =>
          at === undefined && cache.has(id) ? cache.get(id) : await store.get(id, at),
      };
    }),
  },
  "privacy-is-kept": {
    "makes a new key each time": broken((store) => ({
      privacy: async () => ({ ...(await store.privacy()), key: randomBytes(32).toString("hex") }),
    })),
    "has one key for all stores": broken((store) => ({
      privacy: async () => ({ ...(await store.privacy()), key: "0".repeat(64) }),
    })),
    "keeps a text twice": broken((store) => {
      const all: ForgottenText[] = [];
      return {
        async rewrite(request) {
          all.push(...(request.forgotten ?? []));
          return await store.rewrite(request);
        },
        privacy: async () => ({ ...(await store.privacy()), forgotten: all }),
      };
    }),
    "forgets the texts when it is closed": brokenFile((store) => {
      const all: ForgottenText[] = [];
      return {
        ...store,
        async rewrite(request) {
          const { forgotten = [], ...others } = request;
          for (const text of forgotten)
            if (!all.some(({ hash }) => hash === text.hash)) all.push(text);
          return await store.rewrite(others);
        },
        privacy: async () => ({ ...(await store.privacy()), forgotten: [...all] }),
      };
    }),
  },
  "closed-rejects": {
    "continues to answer after it was closed": broken(() => ({ async [Symbol.asyncDispose]() {} })),
  },
  "survives-reopen": { "keeps everything in memory": memoryPlace },
  "survives-kill": {
    "acknowledges before it has committed": () => sqliteWithChild("acknowledging-early"),
    "writes the objects one by one": () => sqliteWithChild("committing-apart"),
  },
  "reads-are-checked": {
    "answers with the first version if another one is damaged": brokenFile((store) =>
      hidingDamage(store, async (id) => await store.get(id, { version: 1 })),
    ),
    "leaves the content of a damaged version empty": brokenFile((store) =>
      hidingDamage(store, async (id) => {
        const [latest] = await store.describe([id]);
        return latest && { ...latest, body: { ...latest.body, content: "" } };
      }),
    ),
  },
  "two-processes-agree": {
    "uses a separate file for each process": () => sqliteWithChild("elsewhere"),
  },
  "lost-is-noticed": {
    "continues to write into the deleted file": () => folderPlace(openUnchecked),
    "begins a new store without a notice": () => folderPlace(openReopening),
    "refuses only the first commit": brokenFile((store) =>
      acknowledgingRefused(store, "STORE_LOST", ({ time }) => time > 1),
    ),
    "reports success for commits that another one follows": brokenFile((store) =>
      acknowledgingRefused(store, "STORE_LOST", ({ options }) => options.isFollowed === true),
    ),
    "replays a request whose outcome is lost": brokenFile((store) =>
      acknowledgingRefused(store, "STORE_LOST", ({ options }) => options.requestId !== undefined),
    ),
    "reports success for imports": brokenFile((store) => acknowledgingImports(store, "STORE_LOST")),
    "brings the lost objects back into a new store": () => folderPlace(openWithCopy),
    "accepts any file at the path as its own": () =>
      folderPlace(async (path, options) =>
        acknowledgingRefused(await openSqliteStore({ path, ...options }), "STORE_LOST", () =>
          existsSync(path),
        ),
      ),
    "removes the file of the new store when it is closed": () => folderPlace(openRemoving),
  },
  "backup-is-whole": {
    "copies its file without the log": copyingFiles(async (path, to) => await copyFile(path, to)),
    "backs up an empty store": copyingFiles(async (_path, to) => {
      await using store = await openSqliteStore({ path: to });
      await store.find({});
    }),
  },
  "busy-stores-nothing": {
    "writes the first object of a refused commit when the lock is gone": brokenFile((store) =>
      writingLater(store, (writes) => writes.slice(0, 1)),
    ),
    "writes a refused commit when the lock is gone": brokenFile((store) =>
      writingLater(store, (writes) => writes),
    ),
    "reports success for a refused commit": brokenFile((store) =>
      acknowledgingRefused(store, "STORE_BUSY", () => true),
    ),
    "reports success for a refused import": brokenFile((store) =>
      acknowledgingImports(store, "STORE_BUSY"),
    ),
    "records the request id of a refused commit": brokenFile(recordingRequestsFirst),
    "finds the nickname of a refused commit": brokenFile(cachingNicknamesFirst),
    "does not read after a refused commit": brokenFile(refusingReads),
    "waits for ten seconds with any patience": () =>
      folderPlace((path) => openSqliteStore({ path })),
  },
  "lock-is-waited-for": {
    "does not wait": withPatience((patience) => ({ ...patience, left: () => 0 })),
    "makes few attempts": withPatience((patience) => ({ ...patience, left: () => 30 })),
    "acknowledges a commit that it has not made": brokenFile(writingInBackground),
    "does not report the lock": withPatience((patience) => ({ ...patience, blocked() {} })),
    "does not report that it works again": withPatience((patience) => ({
      ...patience,
      worked() {},
    })),
  },
};

/** Returns places with memory stores of which some operations are replaced. */
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

/** Returns places with memory stores whose document index has some operations replaced. */
function brokenIndex(breaking: (index: DocumentIndex) => Partial<DocumentIndex>): CreatePlace {
  return broken((store) => ({ documents: { ...store.documents, ...breaking(store.documents) } }));
}

/** Returns places with SQLite stores that are wrapped into faulty ones. */
/** Returns places whose backups are made in another way. */
function copyingFiles(copy: (path: string, to: string) => Promise<void>): CreatePlace {
  return async () => {
    const place = await sqlitePlace();
    return {
      ...place,
      async backup() {
        const other = await sqlitePlace();
        await copy(place.path, other.path);
        return other;
      },
    };
  };
}

function brokenFile(breaking: (store: ObjectStore) => ObjectStore): CreatePlace {
  return () =>
    folderPlace(async (path, options) => breaking(await openSqliteStore({ path, ...options })));
}

/** Returns a store that answers in another way where a version is damaged. */
function hidingDamage(
  store: ObjectStore,
  answer: (id: ObjectId) => Promise<StoredVersion | undefined>,
): ObjectStore {
  return {
    ...store,
    async get(id, at) {
      try {
        return await store.get(id, at);
      } catch (error) {
        if (StoreError.is(error, "STORE_CORRUPT")) return await answer(id);
        throw error;
      }
    },
  };
}

/** Returns places with SQLite stores that use another patience than the one that they were opened with. */
function withPatience(change: (patience: Patience) => Patience): CreatePlace {
  return () =>
    folderPlace((path, { patience, ...options }) =>
      openSqliteStore({
        path,
        ...options,
        ...(patience === undefined ? {} : { patience: change(patience) }),
      }),
    );
}

/** Returns a SQLite place whose child process is faulty. */
function sqliteWithChild(manner: string): ReturnType<CreatePlace> {
  return folderPlace((path, options) => openSqliteStore({ path, ...options }), manner);
}

/** Returns an equal body of which no part is shared. */
function sealedBody({ body }: StoredVersion): StoredVersion["body"] {
  return sealObject(structuredClone(body)).body;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
