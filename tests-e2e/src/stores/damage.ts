import { packText, unpackText } from "@self-context-manager/store-sqlite";
import { DatabaseSync } from "node:sqlite";

/** A text of a version in a closed SQLite store, changed in one letter behind the store's back. */
export interface Damage {
  /** `content` of the first version of the object that has this text somewhere in its bulk fields. */
  readonly text: string;
  readonly becomes: string;
}

/** Replaces a text wherever the file holds it, packed or not, and answers in how many places that was. */
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

/** Takes a version's row away. */
export function dropVersion(path: string, id: string, version: number): void {
  const database = new DatabaseSync(path);
  database
    .prepare(
      "DELETE FROM versions WHERE version = ? AND object = (SELECT key FROM objects WHERE id = ?)",
    )
    .run(version, id);
  database.close();
}
