import type { ObjectId } from "../model/object-id.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { compareText } from "../store-kit/store-rules.ts";
import { exportHeader, exportLine } from "./export-line.ts";

type ExportedStore = Pick<ObjectStore, "changesSince" | "get">;

/** Versions asked of the store at once. */
const pageSize = 500;

/**
 * Writes a store as JSON Lines (decision D57): a header, then one version a line, ordered by transaction, object and
 * version. Every text yielded ends with its line's end.
 *
 * Held in memory is which versions there are, some 50 bytes for each, and the content of a few. What is committed
 * meanwhile is left out.
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
      // A version that was told once stays for ever, so this is a store that breaks its laws.
      if (stored === undefined)
        throw new Error(`${named(part[index])} was told, then was not there`);
      yield `${exportLine(stored)}\n`;
    }
    progress?.(start + part.length, keys.length);
  }
}

/** Versions read together: over a network the waits are then waited for together too. */
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
