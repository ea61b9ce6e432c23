import type { ObjectId } from "../objects/object-id.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { compareText } from "../ports/store-rules.ts";
import { exportHeader, exportLine } from "./export-line.ts";

type ExportedStore = Pick<ObjectStore, "changesSince" | "get">;

/** Versions asked of the store at once. */
const pageSize = 500;

/**
 * Writes a store as JSON Lines (decision D57): a header, then one version a line, ordered by transaction, object and
 * version. Every text yielded ends with its line's end.
 *
 * Only which versions there are is held in memory, never their content. What is committed meanwhile is left out.
 */
export async function* exportObjects(store: ExportedStore): AsyncIterable<string> {
  const keys = await listVersions(store);
  yield `${exportHeader}\n`;
  for (const { id, version } of keys) {
    const stored = await store.get(id, { version });
    // A version that was told once stays for ever, so this is a store that breaks its laws.
    if (stored === undefined)
      throw new Error(`version ${version} of object ${id} was told, then was not there`);
    yield `${exportLine(stored)}\n`;
  }
}

interface VersionKey {
  readonly id: ObjectId;
  readonly version: number;
  readonly txId: number;
}

async function listVersions(store: ExportedStore): Promise<readonly VersionKey[]> {
  const keys: VersionKey[] = [];
  let position: string | undefined;
  for (;;) {
    const page = await store.changesSince(position, { limit: pageSize });
    for (const { body, version, at } of page.versions)
      keys.push({ id: body.id, version, txId: at.tx_id });
    if (page.versions.length < pageSize) break;
    position = page.position;
  }
  return keys.sort(
    (one, other) =>
      one.txId - other.txId || compareText(one.id, other.id) || one.version - other.version,
  );
}
