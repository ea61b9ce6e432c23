import { packText, unpackText } from "@self-context-manager/store-sqlite";
import { DatabaseSync } from "node:sqlite";

/** A change of one letter in a stored text, made directly in a closed SQLite database. */
export interface Damage {
  /** The text to be replaced, wherever a version stores it. */
  readonly text: string;
  readonly becomes: string;
}

/** Replaces a text at every place in the database file, packed or not. Returns the number of places. */
export function damageStore(path: string, { text, becomes }: Damage): number {
  const database = new DatabaseSync(path);
  let count = 0;
  const columns = [
    ["versions", "delta", "seq"],
    ["versions", "metadata", "seq"],
    ["chunks", "text", "key"],
  ] as const;
  for (const [table, column, key] of columns) {
    for (const row of database.prepare(`SELECT ${key} AS k, ${column} AS t FROM ${table}`).all()) {
      const held = row["t"];
      if (typeof held !== "string" && !(held instanceof Uint8Array)) continue;
      const plain = unpackText(held);
      if (!plain.includes(text)) continue;
      const changed = plain.replaceAll(text, becomes);
      database
        .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`)
        .run(packText(changed), row["k"] ?? null);
      count += 1;
    }
  }
  database.close();
  return count;
}

/** Deletes the row of a version. */
export function dropVersion(path: string, id: string, version: number): void {
  const database = new DatabaseSync(path);
  database
    .prepare(
      "DELETE FROM versions WHERE version = ? AND object = (SELECT key FROM objects WHERE id = ?)",
    )
    .run(version, id);
  database.close();
}
