import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { dataFolderOf } from "./data-folder.ts";

/** Most problems that one check returns. */
const mostProblems = 20;

/**
 * Returns what SQLite's own check finds in the database of a data folder; empty for a sound one, and for a folder without
 * one. The node may run. The check does not compare documents with what was stored.
 */
export async function databaseDamage(dataFolder: string): Promise<readonly string[]> {
  const { database: path } = dataFolderOf(resolve(dataFolder));
  if (!existsSync(path)) return [];
  const { DatabaseSync } = await import("node:sqlite");
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
    try {
      const rows = database.prepare(`PRAGMA integrity_check(${mostProblems})`).all();
      const found = rows.map((row) => String(Object.values(row)[0]));
      return found.filter((text) => text !== "ok");
    } finally {
      database.close();
    }
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
