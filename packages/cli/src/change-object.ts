import { type ObjectId, type ObjectStore, StoreError } from "@self-context-manager/core";
import { type ObjectBody, sealObject, type StoredVersion } from "@self-context-manager/objects";

import { CliError } from "./cli-errors.ts";

/** How often the write is tried if an agent changes the object at the same time. */
const attempts = 5;

/** Writes the next version of an object, which `change` makes of the latest one, and returns its body. */
export async function changeObject(
  store: ObjectStore,
  id: ObjectId,
  change: (stored: StoredVersion) => ObjectBody,
): Promise<ObjectBody> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await store.get(id);
    if (stored === undefined) throw new CliError(`object ${id} is no longer in the store`);
    const body = change(stored);
    try {
      await store.commit([{ object: sealObject(body), expect: stored.version }]);
      return body;
    } catch (error) {
      if (attempt === attempts || !StoreError.is(error, "VERSION_CONFLICT")) throw error;
    }
  }
}
