import { StoreError } from "../errors.ts";
import type { ObjectId } from "../model/object-id.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { boundedMap } from "../store-kit/bounded-map.ts";

/** The number and object of a version. */
export interface VersionKey {
  readonly id: ObjectId;
  readonly version: number;
}

/** The answer of a store for a version. */
export type ReadVersion =
  | { readonly type: "version"; readonly stored: StoredVersion }
  | { readonly type: "missing" }
  | { readonly type: "unreadable"; readonly error: StoreError };

/**
 * The greatest number of histories that are read at the same time. An agent writes its session, chat and view in turn, and
 * several can work at the same time. Another history that is needed begins again at its next version.
 */
const mostHistories = 16;

/**
 * Returns a function that reads versions in the order of an export, some at the same time, to save round trips over a
 * network. The versions of an object come in order, and others between them. Hashes are not compared.
 *
 * A store builds a version from the one before it, and in order they share their parts. So a long history is read with
 * `versions`, from where the last version was read.
 */
export function readInOrder(
  store: Pick<ObjectStore, "get" | "versions">,
  isLong: (id: ObjectId) => boolean,
): (keys: readonly VersionKey[]) => Promise<readonly ReadVersion[]> {
  const histories = boundedMap<ObjectId, History>(mostHistories);

  async function find(key: VersionKey): Promise<StoredVersion | undefined> {
    const { id, version } = key;
    if (!isLong(id)) return await store.get(id, { version });
    const history = histories.get(id) ?? historyFrom(store, key);
    histories.set(id, history);
    try {
      const stored = await history(version);
      if (stored !== undefined) return stored;
    } catch (error) {
      if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
    }
    // A history ends at a damaged version. The next version begins another one.
    histories.delete(id);
    return await store.get(id, { version });
  }

  async function read(key: VersionKey): Promise<ReadVersion> {
    try {
      const stored = await find(key);
      return stored === undefined ? { type: "missing" } : { type: "version", stored };
    } catch (error) {
      if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
      return { type: "unreadable", error };
    }
  }

  return async (keys) => {
    const latest = new Map<ObjectId, Promise<ReadVersion>>();
    return await Promise.all(
      keys.map((key) => {
        // The versions of one object are read one after the other.
        const result = (latest.get(key.id) ?? Promise.resolve()).then(() => read(key));
        latest.set(key.id, result);
        return result;
      }),
    );
  };
}

/** Returns the version with a number; undefined if it is not the next one. */
type History = (version: number) => Promise<StoredVersion | undefined>;

function historyFrom(store: Pick<ObjectStore, "versions">, { id, version }: VersionKey): History {
  const versions = store.versions(id, { from: version })[Symbol.asyncIterator]();
  return async (wanted) => {
    const { value, done } = await versions.next();
    return done !== true && value.version === wanted ? value : undefined;
  };
}
