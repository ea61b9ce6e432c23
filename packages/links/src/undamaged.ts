import {
  type ObjectId,
  type ObjectStore,
  StoreError,
  type StoredVersion,
} from "@self-context-manager/objects";

/** Returns a version; undefined if it is damaged. A reader of the object gets the error. The indexes have all others. */
export async function undamaged(
  store: ObjectStore,
  id: ObjectId,
  version: number,
): Promise<StoredVersion | undefined> {
  try {
    return await store.get(id, { version });
  } catch (error) {
    if (StoreError.is(error, "STORE_CORRUPT")) return undefined;
    throw error;
  }
}
