import {
  type ObjectId,
  type ObjectStore,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";

/** Reads versions of one object that are asked for in ascending order, each once. */
export interface VersionsInTurn {
  /** Returns a version by its number. Undefined: it must be asked from the store. */
  numbered(version: number): Promise<StoredVersion | undefined>;
  /** Returns the latest version as of a transaction. Undefined: it must be asked from the store. */
  asOf(txId: number): Promise<StoredVersion | undefined>;
}

/** A version that was read, or the number of one that the store lacks or could not read. */
type Read = StoredVersion | { readonly version: number; readonly at?: undefined };

/** Number of versions that are kept, so that questions can go back by a few transactions. */
const mostKept = 32;

/** Number of versions in a row that cannot be read, after which the reader gives up. */
const mostUnreadable = 50;

/**
 * Reads the versions of an object in order. The answers are those of `get`; where `get` could give another one, because a
 * version cannot be read, there is no answer.
 */
export function versionsInTurn(store: ObjectStore, id: ObjectId): VersionsInTurn {
  let kept: Read[] = [];
  let reading: AsyncIterator<StoredVersion> | undefined;
  let nextVersion: number | undefined;
  let unreadable = 0;

  /** Reads the next version. Returns false if there is none now. */
  async function advance(): Promise<boolean> {
    if (nextVersion === undefined || unreadable >= mostUnreadable) return false;
    reading ??= store.versions(id, { from: nextVersion })[Symbol.asyncIterator]();
    try {
      const { value, done } = (await reading.next()) as IteratorResult<StoredVersion, undefined>;
      if (done === true || value === undefined) {
        reading = undefined;
        return false;
      }
      keep(value);
      unreadable = 0;
    } catch (error) {
      if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
      reading = undefined;
      unreadable += 1;
      keep({ version: nextVersion });
    }
    return true;
  }

  function keep(read: Read): void {
    // The store lacks the versions between them.
    if (nextVersion !== undefined && read.version > nextVersion)
      kept.push({ version: nextVersion });
    kept.push(read);
    nextVersion = read.version + 1;
    if (kept.length > 2 * mostKept) kept = kept.slice(-mostKept);
  }

  /** Begins at the first version that is asked for. */
  async function begin(version: () => Promise<number | undefined>): Promise<void> {
    if (nextVersion === undefined) nextVersion = Math.max(1, (await version()) ?? 1);
  }

  return {
    async numbered(version) {
      await begin(async () => version);
      while ((kept.at(-1)?.version ?? 0) < version) if (!(await advance())) break;
      const found = kept.find((read) => read.version === version);
      return found?.at === undefined ? undefined : found;
    },

    async asOf(txId) {
      await begin(async () => (await readable(store.get(id, { txId })))?.version);
      while ((kept.findLast(({ at }) => at !== undefined)?.at?.tx_id ?? 0) <= txId)
        if (!(await advance())) break;
      const index = kept.findLastIndex(({ at }) => at !== undefined && at.tx_id <= txId);
      const found = kept[index];
      // A version that cannot be read could be the one that was asked for.
      const isCertain = kept[index + 1] === undefined || kept[index + 1]?.at !== undefined;
      return found?.at === undefined || !isCertain || unreadable >= mostUnreadable
        ? undefined
        : found;
    },
  };
}

async function readable(
  version: Promise<StoredVersion | undefined>,
): Promise<StoredVersion | undefined> {
  try {
    return await version;
  } catch (error) {
    // The caller asks the store again, and then reports the damage.
    if (StoreError.is(error, "STORE_CORRUPT")) return undefined;
    throw error;
  }
}
