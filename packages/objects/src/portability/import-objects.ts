import { StoreError } from "../errors.ts";
import type { ObjectId } from "../model/object-id.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import {
  type CheckedStore,
  checkImport,
  type CheckOptions,
  type ImportReport,
} from "./check-import.ts";
import { type ExportLines, readExport } from "./read-export.ts";
import type { VersionKey } from "./read-in-order.ts";

export interface ImportOptions extends CheckOptions {
  /** Called after each batch. A batch is one transaction of the store. */
  readonly progress?: (done: ImportReport) => void;
}

/** The limits of one transaction: versions, and characters of their lines. The first limit that is reached ends it. */
const batchLimit = { versions: 200, characters: 4_000_000 };

/**
 * Imports the lines that `exportObjects` wrote, with the original version numbers and transactions.
 *
 * `lines` is called up to twice, and returns the same lines each time. At the first time the whole file is checked, and an
 * `ImportError` or `StoreError` means that nothing was written: `checkImport` lists them. If the store lacks versions, they
 * are written at the second time, in batches. Versions that are already stored are skipped. An import that ended within
 * the second time has stored whole batches, and is completed by another one with `merge`.
 */
export async function importObjects(
  store: CheckedStore & Pick<ObjectStore, "restore">,
  lines: () => ExportLines,
  { progress, ...options }: ImportOptions = {},
): Promise<ImportReport> {
  const checked = await checkImport(store, lines(), options);
  const { lost, forgotten } = checked;
  const kept = new Set(forgotten.map(nameOf));
  if (checked.added === 0) return checked;
  let read = 0;
  let added = 0;
  let characters = 0;
  const objects = new Set<ObjectId>();
  let limits = batchLimit;
  let batch: StoredVersion[] = [];
  const report = (): ImportReport => ({ read, added, objects: objects.size, lost, forgotten });

  async function flush(isLast: boolean): Promise<void> {
    try {
      // The check has found a line for each version that is missing.
      added += (await store.restore(batch, { gaps: lost.length > 0 })).added;
    } catch (error) {
      // In merged histories a nickname can become free only some transactions later: import those transactions together.
      if (isLast || !StoreError.is(error, "NICKNAME_TAKEN")) throw error;
      limits = { versions: batch.length * 2, characters: characters * 2 };
      return;
    }
    batch = [];
    characters = 0;
    limits = batchLimit;
    progress?.(report());
  }

  for await (const one of readExport(lines(), options.change)) {
    if (one.type !== "version") continue;
    const { stored } = one;
    const isFull = batch.length >= limits.versions || characters >= limits.characters;
    // Objects of one transaction may exchange nicknames, so a transaction is restored as a whole.
    if (isFull && batch.at(-1)?.at.tx_id !== stored.at.tx_id) await flush(false);
    if (!kept.has(nameOf({ id: stored.body.id, version: stored.version }))) batch.push(stored);
    objects.add(stored.body.id);
    characters += one.characters;
    read += 1;
  }
  if (batch.length > 0) await flush(true);
  return report();
}

function nameOf({ id, version }: VersionKey): string {
  return `${version} ${id}`;
}
