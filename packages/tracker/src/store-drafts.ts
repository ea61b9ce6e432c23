import {
  type ObjectBody,
  type ObjectId,
  type ObjectStore,
  sealObject,
  type StoredMetadata,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";

/** A version to store after the latest version of an object, whichever that is at the time of the commit. */
export interface Draft {
  readonly id: ObjectId;
  /** Returns the body that follows the latest version; undefined if the latest version needs no successor. */
  readonly body: (
    latest: StoredMetadata | undefined,
  ) => ObjectBody | undefined | Promise<ObjectBody | undefined>;
}

/** Whether a stored version has its content. */
export function isWhole(stored: StoredVersion | StoredMetadata): stored is StoredVersion {
  return "content" in stored.body;
}

/** The number of objects in one transaction: it delays other writers only for a moment. */
const batchSize = 200;
const attempts = 5;

/**
 * Stores drafts in batches, each on the latest version of its object. Returns the latest version of each object. The
 * content is included if the version was made here. Rejects with `StoreError`.
 */
export async function storeDrafts(
  store: ObjectStore,
  drafts: readonly Draft[],
): Promise<ReadonlyMap<ObjectId, StoredVersion | StoredMetadata>> {
  const latest = new Map<ObjectId, StoredVersion | StoredMetadata>();
  for (let start = 0; start < drafts.length; start += batchSize) {
    await storeBatch(store, drafts.slice(start, start + batchSize), latest, attempts);
  }
  return latest;
}

async function storeBatch(
  store: ObjectStore,
  drafts: readonly Draft[],
  latest: Map<ObjectId, StoredVersion | StoredMetadata>,
  attemptsLeft: number,
): Promise<void> {
  const heads = await store.describe(drafts.map(({ id }) => id));
  const writes = [];
  for (const [index, draft] of drafts.entries()) {
    const head = heads[index];
    if (head !== undefined) latest.set(draft.id, head);
    const body = await draft.body(head);
    if (body !== undefined) writes.push({ object: sealObject(body), expect: head?.version ?? 0 });
  }
  if (writes.length === 0) return;
  try {
    const { versions } = await store.commit(writes);
    for (const [index, { version, at }] of versions.entries()) {
      const object = writes[index]?.object;
      if (object === undefined) continue;
      latest.set(object.body.id, { body: object.body, hashes: object.hashes, version, at });
    }
  } catch (error) {
    // Another session stored one of these objects first, most likely because it saw the same change.
    if (!StoreError.is(error, "VERSION_CONFLICT") || attemptsLeft === 1) throw error;
    for (const draft of drafts) await storeBatch(store, [draft], latest, attemptsLeft - 1);
  }
}
