import { ImportError, StoreError } from "../errors.ts";
import type { ObjectId } from "../model/object-id.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { readExportHeader, readLine } from "./export-line.ts";

/** What an import did. */
export interface ImportReport {
  /** Versions that the lines held. */
  readonly read: number;
  /** Versions that were not there before. */
  readonly added: number;
  /** Objects whose versions these are. */
  readonly objects: number;
}

/** Versions restored in one transaction, and the characters of their lines, whichever is reached first. */
const batchLimit = { versions: 200, characters: 4_000_000 };

/**
 * Takes in what `exportObjects` wrote, under the original version numbers and transactions (decision D58).
 *
 * Lines come with or without their end. Every hash is checked before its version is stored; an `ImportError` names the
 * line. Where the first line says how many versions follow, another number of them is an `ImportError` after the last. `progress` is told after each batch, which is a transaction of the store. Versions that are there already are
 * passed over, so an import that was cut short, or killed, is simply run again and goes on where it was.
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
  let told: number | undefined;
  let batch: StoredVersion[] = [];

  async function flush(isLast: boolean): Promise<void> {
    try {
      added += (await store.restore(batch)).added;
    } catch (error) {
      // In merged histories a nickname can be free again only some transactions later: take those in with these.
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
      told = readExportHeader(text).versions;
      continue;
    }
    if (text === "") continue;
    const stored = readLine(text, number);
    const isFull = batch.length >= limits.versions || characters >= limits.characters;
    // Objects of one transaction may exchange nicknames, so it is restored whole.
    if (isFull && batch.at(-1)?.at.tx_id !== stored.at.tx_id) await flush(false);
    batch.push(stored);
    objects.add(stored.body.id);
    characters += text.length;
    read += 1;
  }
  if (number === 0) {
    throw new ImportError(
      "IMPORT_MALFORMED",
      "there is no line at all; give a file that `scm export` wrote",
    );
  }
  if (batch.length > 0) await flush(true);
  if (told !== undefined && told !== read) {
    throw new ImportError(
      "IMPORT_DAMAGED",
      `line 1 says that ${told} versions follow, and there were ${read}: the file was cut short, or lines were taken out or added. ` +
        "What it holds is imported; export again, or restore the file from a copy, and import that",
    );
  }
  return { read, added, objects: objects.size };
}
