import { type ObjectId, type ObjectStore, StoreError } from "@self-context-manager/core";
import { messageOf, type StoredVersion, verifyVersion } from "@self-context-manager/objects";
import { stat } from "node:fs/promises";

import { inMemory, searchPath, type StorePlace } from "./search-path.ts";
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

/** Returns what the checks of the database itself find; empty for a sound one. Rejects if it cannot be checked. */
export async function databaseDamage({ store, at }: StorePlace): Promise<readonly string[]> {
  if (store === "memory") return [];
  if (store === "xtdb") {
    const { state } = await xtdbNode(at).status();
    return state === "failed" ? ["the node has stopped indexing; scm xtdb stop ends it"] : [];
  }
  const { openStoreFile } = await import("@self-context-manager/store-sqlite");
  using file = await openStoreFile(at);
  return file.damage();
}

/** Returns where the indexes that a store keeps with each commit differ from the latest versions, as sentences. */
export async function indexDamage({ store, at }: StorePlace): Promise<readonly string[]> {
  if (store !== "sqlite") return [];
  const { openStoreFile } = await import("@self-context-manager/store-sqlite");
  using file = await openStoreFile(at);
  return file.indexDamage();
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
  for (const id of await idsOf(store)) yield* versionsOf(store, id);
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

/** The number of versions that are asked for at once. */
const versionsAtOnce = 500;

async function idsOf(store: ObjectStore): Promise<ReadonlySet<ObjectId>> {
  const ids = new Set<ObjectId>();
  let position: string | undefined;
  for (;;) {
    const page = await store.changesSince(position, { limit: versionsAtOnce });
    for (const { body } of page.versions) ids.add(body.id);
    if (page.versions.length < versionsAtOnce) return ids;
    position = page.position;
  }
}

async function* versionsOf(store: ObjectStore, id: ObjectId): AsyncGenerator<CheckedVersion> {
  let version = 0;
  try {
    for await (const stored of store.versions(id)) {
      ({ version } = stored);
      const problem = verifyVersion(stored);
      yield problem === undefined
        ? { id, version, stored }
        : { id, version, problem: problem.text };
    }
  } catch (error) {
    if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
    yield { id, version: version + 1, problem: messageOf(error) };
  }
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
