import {
  messageOf,
  type ObjectId,
  type StoredVersion,
  verifyVersion,
} from "@self-context-manager/objects";
import { resolve } from "node:path";

import { connect, type Connection, type Row, type SqlValue } from "./connection.ts";
import { cachedHeads } from "./head.ts";
import { indexCheck } from "./index-check.ts";
import { inRanges } from "./in-ranges.ts";
import { type FileSizes, rowSizes } from "./row-sizes.ts";
import { number } from "./row-values.ts";
import { checkFile } from "./schema.ts";
import { storeErrorOf } from "./sqlite-errors.ts";
import { damagedSums } from "./sums-check.ts";
import { selectVersion, type VersionReader, versionReader } from "./version-rows.ts";

/** A version of a file: as it was stored, or the reason why it cannot be trusted. */
export interface FileVersion {
  readonly id: ObjectId;
  readonly version: number;
  /** The version; undefined if it cannot be read, or if its hashes do not match. */
  readonly stored?: StoredVersion;
  /** The reason as a sentence that names object and version; undefined for a sound version. */
  readonly problem?: string;
}

/** The file of a store, opened for a check or a measurement. Nothing is written into it. */
export interface StoreFile extends Disposable {
  /** Returns what the checks of SQLite and of the rows' checksums find, in some sentences; empty for a sound database. */
  damage(): readonly string[];
  /** Returns every version, objects by their age and versions in order. Damaged parts do not end the reading. */
  versions(): Iterable<FileVersion>;
  /** Returns the objects for which the store's own indexes differ from the latest versions, as sentences. */
  indexDamage(): readonly string[];
  /** Returns one version; undefined if there is no such version, or if it cannot be trusted. */
  read(id: ObjectId, version: number): StoredVersion | undefined;
  /** Returns what takes the room in the file. Throws `StoreError` if rows are damaged. */
  sizes(): FileSizes;
}

/** The most findings of one of SQLite's checks. One damaged page can be the cause of thousands. */
const mostFindings = 20;

/** Opens the file of a store for a check or a measurement. Rejects with `StoreError` if it is no store, or damaged at its beginning. */
export async function openStoreFile(path: string): Promise<StoreFile> {
  const file = resolve(path);
  const connection = await connect(file);
  try {
    connection.execute("PRAGMA busy_timeout = 10000; PRAGMA query_only = ON");
    checkFile(connection, file);
  } catch (error) {
    connection.close();
    throw storeErrorOf(error, file);
  }
  // The latest versions are not kept: each is read once.
  const reader = versionReader(connection, cachedHeads(0));
  return {
    damage: () => damageOf(connection),
    *versions() {
      for (const object of objectsOf(connection)) yield* versionsOf(connection, reader, object);
    },
    indexDamage: () => indexDamageOf(connection, reader),
    read(id, version) {
      const row = connection.first(
        `${selectVersion} WHERE v.object = (SELECT key FROM objects WHERE id = ?) AND v.version = ?`,
        id,
        version,
      );
      return row === undefined ? undefined : readVersion(reader, id, row).stored;
    },
    sizes() {
      try {
        return rowSizes(connection);
      } catch (error) {
        throw storeErrorOf(error, file);
      }
    },
    [Symbol.dispose]: () => connection.close(),
  };
}

function damageOf(connection: Connection): readonly string[] {
  try {
    const found = connection
      .all(`PRAGMA integrity_check(${mostFindings})`)
      .map((row) => String(row["integrity_check"]))
      .filter((text) => text !== "ok");
    const lost = connection
      .all('SELECT "table", count(*) AS count FROM pragma_foreign_key_check GROUP BY "table"')
      .map((row) => `${number(row, "count")} rows of ${String(row["table"])} name no object`);
    return [...found, ...lost, ...damagedSums(connection)];
  } catch (cause) {
    return [messageOf(cause)];
  }
}

function indexDamageOf(connection: Connection, reader: VersionReader): readonly string[] {
  const check = indexCheck(connection);
  try {
    for (const { key, id, head } of objectsOf(connection)) {
      const row = connection.first(
        `${selectVersion} WHERE v.object = ? AND v.version = ?`,
        key,
        head,
      );
      const stored = row === undefined ? undefined : readVersion(reader, id, row).stored;
      // A damaged latest version is a finding of the check of the versions.
      if (stored === undefined) return [];
      check.add(key, stored);
    }
    return check.differences();
  } catch (cause) {
    return [messageOf(cause)];
  }
}

interface ObjectRow {
  readonly key: number;
  readonly id: ObjectId;
  readonly head: number;
}

function* objectsOf(connection: Connection): Generator<ObjectRow> {
  const last = numberAt(connection, "SELECT max(key) AS found FROM objects");
  const read = (from: number, to: number): readonly Row[] =>
    connection.all(
      "SELECT key, id, head FROM objects WHERE key BETWEEN ? AND ? ORDER BY key",
      from,
      to,
    );
  for (const row of inRanges(1, atMost(connection, last), read)) {
    // SQLite's own check names the damaged page.
    if ("unreadable" in row) continue;
    yield { key: number(row, "key"), id: row["id"] as ObjectId, head: number(row, "head") };
  }
}

function* versionsOf(
  connection: Connection,
  reader: VersionReader,
  { key, id, head }: ObjectRow,
): Generator<FileVersion> {
  const newest = numberAt(
    connection,
    "SELECT max(version) AS found FROM versions WHERE object = ?",
    key,
  );
  const read = (from: number, to: number): readonly Row[] =>
    connection.all(
      `${selectVersion} WHERE v.object = ? AND v.version BETWEEN ? AND ? ORDER BY v.version`,
      key,
      from,
      to,
    );
  let last = 0;
  for (const row of inRanges(1, atMost(connection, newest ?? head), read)) {
    last = Number("unreadable" in row ? row.unreadable : row["version"]);
    if ("unreadable" in row) yield damaged(id, last, messageOf(row.cause));
    else yield readVersion(reader, id, row);
  }
  if (last !== head) yield damaged(id, head, `the newest version that was found is ${last}`);
}

function readVersion(reader: VersionReader, id: ObjectId, row: Row): FileVersion {
  const version = number(row, "version");
  try {
    const stored = reader.version(row);
    if (stored.body.id !== id) return damaged(id, version, "it is a version of another object");
    const problem = verifyVersion(stored);
    return problem === undefined ? { id, version, stored } : { id, version, problem: problem.text };
  } catch (cause) {
    return damaged(id, version, messageOf(cause));
  }
}

function damaged(id: ObjectId, version: number, reason: string): FileVersion {
  return { id, version, problem: `version ${version} of object ${id} cannot be read: ${reason}` };
}

/** Returns the number that a statement finds, 0 for none; undefined if the rows cannot be read. */
function numberAt(
  connection: Connection,
  sql: string,
  ...values: readonly SqlValue[]
): number | undefined {
  try {
    return Number(connection.first(sql, ...values)?.["found"] ?? 0);
  } catch {
    // SQLite's own check names the damaged page.
    return undefined;
  }
}

/** The least bytes of a row. A file has no more rows than its size allows, whatever a damaged number says. */
const leastBytes = 16;

function atMost(connection: Connection, wanted: number | undefined): number {
  const pages = numberAt(connection, "SELECT page_count AS found FROM pragma_page_count") ?? 0;
  const bytes = numberAt(connection, "SELECT page_size AS found FROM pragma_page_size") ?? 0;
  return Math.min(wanted ?? Infinity, Math.ceil((pages * bytes) / leastBytes));
}
