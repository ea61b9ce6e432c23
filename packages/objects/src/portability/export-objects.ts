import type { ObjectId } from "../model/object-id.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { compareText } from "../store-kit/store-rules.ts";
import { exportHeader, exportLine } from "./export-line.ts";

type ExportedStore = Pick<ObjectStore, "changesSince" | "get">;

/** The number of versions that are requested from the store at once. */
const pageSize = 500;

/**
 * Writes a store as JSON Lines: a header, then one version per line, ordered by transaction, object and version. Every
 * yielded text includes its line end.
 *
 * The list of versions is kept in memory, about 50 bytes for each, and the content of a few versions. Versions that are
 * committed during the export are not included.
 */
export async function* exportObjects(
  store: ExportedStore,
  { progress }: { readonly progress?: (done: number, all: number) => void } = {},
): AsyncIterable<string> {
  const keys = await listVersions(store);
  yield `${exportHeader(keys.length)}\n`;
  for (let start = 0; start < keys.length; start += readAtOnce) {
    const part = keys.slice(start, start + readAtOnce);
    const read = await Promise.all(part.map(({ id, version }) => store.get(id, { version })));
    for (const [index, stored] of read.entries()) {
      // A listed version never disappears, so this store breaks its laws.
      if (stored === undefined)
        throw new Error(
          `${named(part[index])} was listed but cannot be read; the store breaks its laws`,
        );
      yield `${exportLine(stored)}\n`;
    }
    progress?.(start + part.length, keys.length);
  }
}

/** The number of versions that are read at the same time, to save round trips over a network. */
const readAtOnce = 16;

function named(key: VersionKey | undefined): string {
  return `version ${key?.version} of object ${key?.id}`;
}

interface VersionKey {
  readonly id: ObjectId;
  readonly version: number;
  readonly txId: number;
}

async function listVersions(store: ExportedStore): Promise<readonly VersionKey[]> {
  const keys: VersionKey[] = [];
  // Each page has its own copies of the same ids.
  const ids = new Map<ObjectId, ObjectId>();
  let position: string | undefined;
  for (;;) {
    const page = await store.changesSince(position, { limit: pageSize });
    for (const { body, version, at } of page.versions) {
      const id = ids.get(body.id) ?? body.id;
      ids.set(id, id);
      keys.push({ id, version, txId: at.tx_id });
    }
    if (page.versions.length < pageSize) break;
    position = page.position;
  }
  return keys.sort(
    (one, other) =>
      one.txId - other.txId || compareText(one.id, other.id) || one.version - other.version,
  );
}
