import {
  type ObjectId,
  type ObjectStore,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";
import { type ReadVersion, readVersions } from "./read-versions.ts";

/** Reads versions of one object that are asked for in ascending order, each once. */
export interface VersionsInTurn {
  /** Returns a version by its number. Undefined: it must be asked from the store. */
  numbered(version: number): Promise<StoredVersion | undefined>;
  /** Returns the latest version as of a transaction. Undefined: it must be asked from the store. */
  asOf(txId: number): Promise<StoredVersion | undefined>;
}

/** Number of versions that are kept, so that questions can go back by a few transactions. */
const mostKept = 32;

/**
 * Reads the versions of an object in order. The answers are those of `get`; where `get` could give another one, because a
 * version cannot be read, there is no answer.
 */
export function versionsInTurn(store: ObjectStore, id: ObjectId): VersionsInTurn {
  let kept: ReadVersion[] = [];
  let reading: AsyncGenerator<ReadVersion, void, undefined> | undefined;
  let nextVersion: number | undefined;

  /** Reads the next version. Returns false if there is none now. */
  async function advance(): Promise<boolean> {
    if (nextVersion === undefined) return false;
    reading ??= readVersions(store, id, nextVersion);
    const { value, done } = await reading.next();
    if (done === true) {
      reading = undefined;
      return false;
    }
    kept.push(value);
    nextVersion = value.version + 1;
    if (kept.length > 2 * mostKept) kept = kept.slice(-mostKept);
    return true;
  }

  /** Begins at the first version that is asked for. */
  async function begin(version: () => Promise<number | undefined>): Promise<void> {
    if (nextVersion === undefined) nextVersion = Math.max(1, (await version()) ?? 1);
  }

  return {
    async numbered(version) {
      await begin(async () => version);
      while ((kept.at(-1)?.version ?? 0) < version) if (!(await advance())) break;
      return kept.find((read) => read.version === version)?.stored;
    },

    async asOf(txId) {
      await begin(async () => (await readable(store.get(id, { txId })))?.version);
      const isReached = (): boolean => {
        const last = kept.findLast(({ stored }) => stored !== undefined)?.stored;
        return last !== undefined && last.at.tx_id > txId;
      };
      while (!isReached()) if (!(await advance())) break;
      const index = kept.findLastIndex(
        ({ stored }) => stored !== undefined && stored.at.tx_id <= txId,
      );
      // A version that cannot be read could be the one that was asked for.
      return kept[index + 1]?.problem === undefined ? kept[index]?.stored : undefined;
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
