import type { ObjectId } from "@self-context-manager/objects";

import type { Row } from "./connection.ts";
import { connect, type Connection, type SqlValue } from "./connection.ts";
import { openPages } from "./database-pages.ts";
import { cachedHeads } from "./head.ts";
import { objectColumns, readObject, sumOfObject } from "./object-rows.ts";
import { number } from "./row-values.ts";
import { readForgotten, readPrivacy, writePrivacy } from "./privacy-rows.ts";
import { type ScannedRow, scanRows } from "./scan-rows.ts";
import { migrate } from "./schema.ts";
import { versionColumns, versionReader } from "./version-rows.ts";

/** The tables whose rows make the versions. Everything else in a store is derived from them. */
const tables = ["objects", "versions", "chunks", "privacy", "forgotten"] as const;

/**
 * Copies the rows that make the versions from a damaged file and its log into a new file, which then has indexes of its
 * own. Rows are found in the pages one by one, so damage anywhere else does not hide them. Nothing is judged: the versions
 * of the new file are compared with their hashes when they are read. No connection may have the damaged file open.
 */
export async function salvageSqliteFile(path: string, to: string): Promise<void> {
  const target = await connect(to);
  try {
    target.execute("PRAGMA page_size = 1024; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    migrate(target, to);
    target.execute("PRAGMA foreign_keys = OFF");
    target.transaction("write", () => {
      target.run("DELETE FROM privacy");
      copyRows(path, target);
      dropDamaged(target);
      keepPrivacy(target);
      nameObjects(target);
      writeHeads(target);
    });
  } finally {
    target.close();
  }
}

function copyRows(path: string, target: Connection): void {
  using pages = openPages(path);
  const known = tables.map((table) => insertInto(target, table));
  for (const row of scanRows(pages)) known.find((insert) => insert(row));
}

/** Returns a function that adds a row if it has the columns of a table, and returns whether it has. */
function insertInto(target: Connection, table: string): (row: ScannedRow) => boolean {
  const columns = target.all(`PRAGMA table_info(${table})`);
  const names = columns.map((column) => String(column["name"]));
  // The first of two rows with one number is kept.
  const sql = `INSERT OR IGNORE INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  return ({ key, values }) => {
    if (!columns.every((column, index) => fits(column, values[index]))) return false;
    if (values.length !== columns.length) return false;
    target.run(
      sql,
      ...values.map((value, index) => bound(columns[index]?.["pk"] === 1 ? key : value)),
    );
    return true;
  };
}

/** A number is bound as INTEGER only as a bigint; a column of type ANY would keep REAL. */
function bound(value: SqlValue): SqlValue | bigint {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}

function fits(column: Row, value: SqlValue | undefined): boolean {
  if (value === undefined) return false;
  if (column["pk"] === 1) return value === null;
  if (value === null) return column["notnull"] === 0;
  switch (column["type"]) {
    case "INTEGER":
      return Number.isSafeInteger(value);
    case "TEXT":
      return typeof value === "string";
    case "BLOB":
      return value instanceof Uint8Array;
    default:
      return true;
  }
}

/** Removes the rows of objects that are not as they were stored: their ids would be given to the wrong versions. */
function dropDamaged(target: Connection): void {
  for (const row of target.all(`SELECT ${objectColumns} FROM objects o`)) {
    try {
      readObject(row);
    } catch {
      target.run("DELETE FROM objects WHERE key = ?", number(row, "key"));
    }
  }
}

/** Removes forgotten texts that are not as they were stored, and gives a store whose key is lost a new one. */
function keepPrivacy(target: Connection): void {
  try {
    readPrivacy(target);
  } catch {
    // Without the key, the hashes of the forgotten texts say nothing.
    target.run("DELETE FROM forgotten");
    writePrivacy(target);
  }
  try {
    readForgotten(target);
  } catch {
    target.run("DELETE FROM forgotten");
  }
}

/** Gives objects without a row the id that their versions have. */
function nameObjects(target: Connection): void {
  const without = target.all(
    "SELECT DISTINCT object FROM versions WHERE object NOT IN (SELECT key FROM objects)",
  );
  for (const row of without) {
    const key = number(row, "object");
    const id = idIn(target, key);
    if (id !== undefined)
      target.run("INSERT OR IGNORE INTO objects (key, id, head, sum) VALUES (?, ?, 0, 0)", key, id);
  }
}

function idIn(target: Connection, key: number): ObjectId | undefined {
  const reader = versionReader(target, cachedHeads(0));
  const rows = target.all(`SELECT ${versionColumns} FROM versions v WHERE v.object = ?`, key);
  for (const row of rows) {
    try {
      return reader.metadata(row).body.id;
    } catch {
      // This version is damaged; another one has the id too.
    }
  }
  return undefined;
}

/** Makes the newest version that was found the latest one of each object. No object has a nickname. */
function writeHeads(target: Connection): void {
  const rows = target.all(
    "SELECT key, id, max(head, coalesce((SELECT max(version) FROM versions WHERE object = key), 0)) AS head FROM objects",
  );
  for (const row of rows) {
    const [key, head] = [number(row, "key"), number(row, "head")];
    const sum = sumOfObject({ key, id: row["id"] as ObjectId, head, nickname: null });
    target.run(
      "UPDATE objects SET head = ?, nickname = NULL, sum = ? WHERE key = ?",
      head,
      sum,
      key,
    );
  }
}
