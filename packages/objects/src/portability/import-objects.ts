import { ImportError, StoreError } from "../errors.ts";
import type { ObjectId } from "../model/object-id.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { readExportHeader, readLine } from "./export-line.ts";

/** The result of an import. */
export interface ImportReport {
  /** The number of versions in the lines. */
  readonly read: number;
  /** The number of versions that were added. */
  readonly added: number;
  /** The number of objects that the versions belong to. */
  readonly objects: number;
}

/** The limits of one transaction: versions, and characters of their lines. The first limit that is reached ends it. */
const batchLimit = { versions: 200, characters: 4_000_000 };

/**
 * Imports the lines that `exportObjects` wrote, with the original version numbers and transactions.
 *
 * Lines may have their line end or not. The hashes of each version are checked before it is stored; an `ImportError`
 * names the line. If the header contains a number of versions and another number follows, the import ends with an
 * `ImportError`. `progress` is called after each batch; a batch is one transaction of the store. Versions that are
 * already stored are skipped, so an interrupted import can be repeated and then continues.
 */
export async function importObjects(
  store: Pick<ObjectStore, "restore">,
  lines: AsyncIterable<string> | Iterable<string>,
  { progress }: { readonly progress?: (done: ImportReport) => void } = {},
): Promise<ImportReport> {
  let number = 0;
  let read = 0;
  let added = 0;
  let characters = 0;
  const objects = new Set<ObjectId>();
  let limits = batchLimit;
  let announced: number | undefined;
  let batch: StoredVersion[] = [];

  async function flush(isLast: boolean): Promise<void> {
    try {
      added += (await store.restore(batch)).added;
    } catch (error) {
      // In merged histories a nickname can become free only some transactions later: import those transactions together.
      if (isLast || !StoreError.is(error, "NICKNAME_TAKEN")) throw error;
      limits = { versions: batch.length * 2, characters: characters * 2 };
      return;
    }
    batch = [];
    characters = 0;
    limits = batchLimit;
    progress?.({ read, added, objects: objects.size });
  }

  for await (const line of lines) {
    number += 1;
    const text = line.trim();
    if (number === 1) {
      announced = readExportHeader(text).versions;
      continue;
    }
    if (text === "") continue;
    const stored = readLine(text, number);
    const isFull = batch.length >= limits.versions || characters >= limits.characters;
    // Objects of one transaction may exchange nicknames, so a transaction is restored as a whole.
    if (isFull && batch.at(-1)?.at.tx_id !== stored.at.tx_id) await flush(false);
    batch.push(stored);
    objects.add(stored.body.id);
    characters += text.length;
    read += 1;
  }
  if (number === 0) {
    throw new ImportError(
      "IMPORT_MALFORMED",
      "the file is empty; give a file that `scm export` wrote",
    );
  }
  if (batch.length > 0) await flush(true);
  if (announced !== undefined && announced !== read) {
    throw new ImportError(
      "IMPORT_DAMAGED",
      `line 1 announces ${announced} versions, but ${read} follow: the file was cut short, or lines were removed or added. ` +
        "What it holds is imported; export again, or restore the file from a copy, and import that",
    );
  }
  return { read, added, objects: objects.size };
}
