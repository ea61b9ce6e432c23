import { StoreError } from "../errors.ts";
import type { ObjectId } from "../model/object-id.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { compareText } from "../store-kit/store-rules.ts";
import type { VersionKey } from "./read-in-order.ts";

/** The versions of a store in the order of an export. */
export interface VersionList {
  readonly keys: readonly ListedKey[];
  /** The numbers of an object that are missing between the listed versions, or are damaged, in order. */
  readonly missing: ReadonlyMap<ObjectId, readonly number[]>;
  /** The number of damaged versions of which the store cannot say which ones they are. Some can be in `missing`. */
  readonly unlisted: number;
}

interface ListedKey extends VersionKey {
  readonly txId: number;
}

/** The number of versions that are requested from the store at once. */
const pageSize = 500;

/**
 * Lists the versions of transactions after `since`, ordered by transaction, object and version. With `skipDamaged`, damaged
 * versions are left out and counted; without it, they reject. Rejects with `VERSION_CONFLICT` if the store is rewritten
 * meanwhile.
 */
export async function listVersions(
  store: Pick<ObjectStore, "changesSince">,
  since: number,
  skipDamaged: boolean,
): Promise<VersionList> {
  const keys: ListedKey[] = [];
  // Each page has its own copies of the same ids.
  const ids = new Map<ObjectId, ObjectId>();
  const damaged: VersionKey[] = [];
  let unlisted = 0;
  let position: string | undefined;
  for (;;) {
    const page = await store.changesSince(position, { limit: pageSize, skipDamaged });
    if (page.restarted === true) {
      throw new StoreError(
        "VERSION_CONFLICT",
        "objects were rewritten or removed while the store was read; run the command again",
      );
    }
    unlisted += page.skipped ?? 0;
    damaged.push(...(page.damaged ?? []));
    for (const { body, version, at } of page.versions) {
      const id = ids.get(body.id) ?? body.id;
      ids.set(id, id);
      keys.push({ id, version, txId: at.tx_id });
    }
    if (page.versions.length + (page.skipped ?? 0) < pageSize) break;
    position = page.position;
  }
  keys.sort(
    (one, other) =>
      one.txId - other.txId || compareText(one.id, other.id) || one.version - other.version,
  );
  const missing = missingIn(keys, since);
  for (const { id, version } of damaged) {
    const numbers = missing.get(id) ?? [];
    if (!numbers.includes(version))
      missing.set(
        id,
        [...numbers, version].sort((one, other) => one - other),
      );
  }
  return { keys: keys.filter(({ txId }) => txId > since), missing, unlisted };
}

/** Returns the missing numbers before the versions of transactions after `since`. */
function missingIn(keys: readonly ListedKey[], since: number): Map<ObjectId, number[]> {
  const missing = new Map<ObjectId, number[]>();
  const latest = new Map<ObjectId, number>();
  for (const { id, version, txId } of keys) {
    const first = (latest.get(id) ?? 0) + 1;
    latest.set(id, version);
    if (first === version || txId <= since) continue;
    const known = missing.get(id) ?? [];
    missing.set(id, known);
    for (let number = first; number < version; number += 1) known.push(number);
  }
  return missing;
}
