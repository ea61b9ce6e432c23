import { type ObjectId, type ObjectStore, StoreError } from "@self-context-manager/core";
import {
  damageOf,
  messageOf,
  readAround,
  type StoredVersion,
  verifyVersion,
} from "@self-context-manager/objects";
import type { XtdbStore } from "@self-context-manager/store-xtdb";
import { stat } from "node:fs/promises";

import { inMemory, searchPath, type StorePlace } from "./search-path.ts";
import { isNodeUrl } from "./store-path.ts";
import { xtdbNode } from "./xtdb-node.ts";

/** A version of a store: as it was stored, or the reason why it cannot be trusted. */
export interface CheckedVersion {
  readonly id: ObjectId;
  readonly version: number;
  /** Undefined if the version cannot be read, or if its hashes do not match. */
  readonly stored?: StoredVersion;
  /** The reason as a sentence that names object and version; undefined for a sound version. */
  readonly problem?: string;
}

/**
 * Returns what the checks of the database itself find; empty for a sound one, undefined for one that only the operator of
 * a node can check. Rejects if it cannot be checked.
 */
export async function databaseDamage({
  store,
  at,
}: StorePlace): Promise<readonly string[] | undefined> {
  if (store === "memory") return [];
  if (store === "xtdb") {
    if (isNodeUrl(at)) return undefined;
    const node = xtdbNode(at);
    const { state, storage } = await node.status();
    const failed =
      state === "failed" ? ["the node has stopped indexing; scm xtdb stop ends it"] : [];
    const damage = [...failed, ...(await node.damage())];
    return storage === "postgres" && damage.length === 0 ? undefined : damage;
  }
  const { openStoreFile } = await import("@self-context-manager/store-sqlite");
  using file = await openStoreFile(at);
  return file.damage();
}

/**
 * Returns where the indexes that a store keeps with each commit differ from the latest versions, as sentences. Of a store
 * in XTDB the list of all versions and the latest state of each object are checked, which needs the open store.
 */
export async function indexDamage(
  { store, at }: StorePlace,
  open: ObjectStore | undefined,
): Promise<readonly string[]> {
  if (store === "sqlite") {
    const { openStoreFile } = await import("@self-context-manager/store-sqlite");
    using file = await openStoreFile(at);
    return file.indexDamage();
  }
  if (open === undefined || !isXtdbStore(open)) return [];
  const problems: string[] = [];
  const { versions, missing } = await open.listVersions();
  for (const arrival of missing)
    problems.push(`version ${arrival} in the order of commits is missing`);
  const latest = [...byObject(versions)].map(([id, numbers]) => [id, numbers.at(-1) ?? 0] as const);
  for (let start = 0; start < latest.length; start += objectsAtOnce)
    problems.push(...(await latestDamage(open, latest.slice(start, start + objectsAtOnce))));
  return problems;
}

/**
 * Returns every version with the result of the comparison with its hashes, object by object. Versions of a SQLite store
 * are read past damaged parts. `store` is the open store, if it could be opened.
 */
export async function* checkedVersions(
  place: StorePlace,
  store: ObjectStore | undefined,
): AsyncGenerator<CheckedVersion> {
  if (place.store === "sqlite") {
    const { openStoreFile } = await import("@self-context-manager/store-sqlite");
    using file = await openStoreFile(place.at);
    yield* file.versions();
    return;
  }
  if (store === undefined) return;
  for (const [id, numbers] of await versionsIn(store)) yield* versionsOf(store, id, numbers);
}

/**
 * Returns what the database's own check finds in the search index beside a store; undefined if there is none. The index
 * has nothing that is not in the store.
 */
export async function searchIndexDamage(
  place: StorePlace,
): Promise<{ readonly path: string; readonly damage: string | undefined } | undefined> {
  const path = searchPath(place);
  if (path === inMemory || !(await isThere(path))) return undefined;
  const { DatabaseSync } = await import("node:sqlite");
  try {
    const database = new DatabaseSync(path, { timeout: 10_000 });
    try {
      const [found] = Object.values(database.prepare("PRAGMA integrity_check(1)").get() ?? {});
      return { path, damage: found === "ok" ? undefined : String(found) };
    } finally {
      database.close();
    }
  } catch (error) {
    return { path, damage: messageOf(error) };
  }
}

function isXtdbStore(store: ObjectStore): store is XtdbStore {
  return "listVersions" in store;
}

/** The number of objects whose latest states are read at once. */
const objectsAtOnce = 300;

/** Returns which objects have another latest version than the given one, or one that cannot be read. */
async function latestDamage(
  store: ObjectStore,
  latest: readonly (readonly [id: ObjectId, version: number])[],
): Promise<readonly string[]> {
  const unreadable: string[] = [];
  const others = await readAround(
    latest,
    async (some) => {
      const found = await store.describe(some.map(([id]) => id));
      return some.flatMap(([id, version], index) =>
        found[index]?.version === version
          ? []
          : [`object ${id} is at version ${found[index]?.version ?? 0} instead of ${version}`],
      );
    },
    ([id], error) =>
      unreadable.push(`the latest state of object ${id} cannot be read: ${damageOf(error)}`),
  );
  return [...others, ...unreadable];
}

async function versionsIn(store: ObjectStore): Promise<ReadonlyMap<ObjectId, readonly number[]>> {
  if (isXtdbStore(store)) return byObject((await store.listVersions()).versions);
  const { versions } = await store.changesSince();
  return byObject(versions.map(({ body, version }) => ({ id: body.id, version })));
}

/** Returns the numbers of the versions of each object, in order. */
function byObject(
  versions: readonly { readonly id: ObjectId; readonly version: number }[],
): ReadonlyMap<ObjectId, readonly number[]> {
  const numbers = new Map<ObjectId, number[]>();
  for (const { id, version } of versions) {
    const known = numbers.get(id);
    if (known === undefined) numbers.set(id, [version]);
    else known.push(version);
  }
  for (const known of numbers.values()) known.sort((one, other) => one - other);
  return numbers;
}

/** Reads versions of an object in order. After one that cannot be read, the next ones are read too. */
async function* versionsOf(
  store: ObjectStore,
  id: ObjectId,
  numbers: readonly number[],
): AsyncGenerator<CheckedVersion> {
  const rest = [...numbers];
  for (let from = rest.shift(); from !== undefined; from = rest.shift()) {
    try {
      for await (const stored of store.versions(id, { from })) {
        if (stored.version !== from) break;
        yield checked(stored);
        from = rest.shift();
      }
    } catch (error) {
      if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
    }
    // The reading has ended before this version, which may be sound if only the next ones are damaged.
    if (from !== undefined) yield await versionOf(store, id, from);
  }
}

async function versionOf(
  store: ObjectStore,
  id: ObjectId,
  version: number,
): Promise<CheckedVersion> {
  const name = `version ${version} of object ${id}`;
  try {
    const stored = await store.get(id, { version });
    if (stored === undefined) return { id, version, problem: `${name} is missing` };
    return checked(stored);
  } catch (error) {
    if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
    return { id, version, problem: `${name} cannot be read: ${damageOf(error)}` };
  }
}

function checked(stored: StoredVersion): CheckedVersion {
  const { body, version } = stored;
  const problem = verifyVersion(stored);
  if (problem !== undefined) return { id: body.id, version, problem: problem.text };
  return { id: body.id, version, stored };
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
