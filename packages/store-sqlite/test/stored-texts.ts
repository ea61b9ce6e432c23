import { DatabaseSync } from "node:sqlite";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { constants, inflateRawSync } from "node:zlib";

import { packDictionary } from "../src/pack-dictionary.ts";
import { unpackText } from "../src/packed-text.ts";

/**
 * Returns all that the files of a folder hold, as text: their bytes, what SQLite reads in the rows of a store, and what
 * can be unpacked at any place of a file, so that packed rows are found that no table has now.
 */
export async function storedTexts(folder: string, path: string): Promise<string> {
  const texts: string[] = rowsOf(path);
  for (const name of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    const bytes = await readFile(join(name.parentPath, name.name));
    texts.push(bytes.toString("latin1"), bytes.toString("utf8"));
    for (let start = 0; start < bytes.length; start += 1) texts.push(...unpackedAt(bytes, start));
  }
  return texts.join("\n");
}

function rowsOf(path: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return tables.flatMap(({ name }) =>
      database
        .prepare(`SELECT * FROM "${String(name)}"`)
        .all()
        .flatMap((row) => Object.values(row).map(textOf)),
    );
  } finally {
    database.close();
  }
}

function textOf(value: unknown): string {
  if (!(value instanceof Uint8Array)) return String(value);
  try {
    return unpackText(value);
  } catch {
    return Buffer.from(value).toString("latin1");
  }
}

/** Returns what is unpacked from a place on, as far as it goes. A packed text is one block, which is the last one. */
function unpackedAt(bytes: Buffer, start: number): readonly string[] {
  const kind = (bytes[start] ?? 0) & 0b111;
  if (kind !== 0b011 && kind !== 0b101) return [];
  try {
    const text = inflateRawSync(bytes.subarray(start, start + 1_024), {
      dictionary: packDictionary,
      chunkSize: 4_096,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    return text.length < 16 ? [] : [text.toString("latin1")];
  } catch {
    return [];
  }
}
