import {
  type ObjectId,
  type ObjectStore,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";

/** A version of an object, or why it cannot be read. */
export type ReadVersion =
  | { readonly version: number; readonly stored: StoredVersion; readonly problem?: undefined }
  | { readonly version: number; readonly stored?: undefined; readonly problem: string };

/** Number of versions in a row that cannot be read, after which a reading ends. */
const mostUnreadable = 50;

/**
 * Reads the versions of an object in order from a number on, up to `to` (default: the latest). A version that is damaged or
 * missing is reported in its place. Rejects only if the store itself cannot be read.
 */
export async function* readVersions(
  store: ObjectStore,
  id: ObjectId,
  from: number,
  to: number = Infinity,
): AsyncGenerator<ReadVersion, void, undefined> {
  let next = from;
  let unreadable = 0;
  while (unreadable < mostUnreadable) {
    try {
      for await (const stored of store.versions(id, { from: next, to })) {
        for (; next < stored.version; next += 1)
          yield { version: next, problem: `version ${next} of object ${id} is not in the store` };
        yield { version: stored.version, stored };
        next = stored.version + 1;
        unreadable = 0;
      }
      return;
    } catch (error) {
      if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
      yield {
        version: next,
        problem: `version ${next} of object ${id} cannot be read: ${error.message}`,
      };
      next += 1;
      unreadable += 1;
    }
  }
}
