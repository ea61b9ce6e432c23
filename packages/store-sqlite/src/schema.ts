import { StoreError } from "@self-context-manager/objects";

import type { Connection } from "./connection.ts";
import { documentTables } from "./document-index.ts";
import { fieldKey } from "./field-keys.ts";
import { fileTable } from "./log-of-file.ts";
import { privacyTables, writePrivacy } from "./privacy-rows.ts";
import { sumOf } from "./row-sums.ts";
import { DamageError } from "./sqlite-errors.ts";

/** Marks a file as an object store of this project: "SCM1" in ASCII. */
const applicationId = 0x53_43_4d_31;

/** The version of the schema that the first migration makes. No release had an earlier one. */
const firstVersion = 6;

/**
 * The index of fields by their keys. Before, it had names and values, which took a tenth of the file. `field_key` is
 * `fieldKey`.
 */
const fieldTable = `
  CREATE TABLE field_keys (
    field INTEGER NOT NULL,
    object INTEGER NOT NULL REFERENCES objects (key),
    PRIMARY KEY (field, object)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO field_keys SELECT DISTINCT field_key(name, value), object FROM fields ORDER BY 1, 2;
  DROP TABLE fields;
`;

/**
 * The migrations to each version of the schema from the one before, beginning with the first. `user_version` is the
 * version of the last migration that has run.
 *
 * - `versions.seq` is the order in which versions were added to this file. `changesSince` uses it.
 * - `versions.metadata` is the body with 0 instead of each bulk field, so that the order of fields is kept. If an earlier
 *   version has equal metadata, the column contains that version's number instead, and `metadata_view_hash` is empty. A
 *   text `=2:310:60:7` is a difference: the first 310 and the last 60 characters of version 2, and `7` between them.
 * - `content_hash` is empty for the hash of the empty text. The index `versions_by_content` omits these rows.
 * - `versions.delta` turns the bulk fields of the previous version into those of this one. It is null if they are equal.
 *   In a row whose `version` is its `base`, the delta needs no earlier row.
 * - `hash_rule` is the number of the rule that made the hashes.
 * - `weight` is the number of characters of the deltas since the base, and `size` that of the bulk fields.
 * - `previous` is the number of the object's version before this one; null if it is `version - 1`.
 * - `field_keys` and `refs` contain the latest versions only. `field_keys.field` is the key of a name and a value.
 * - `clock.versions` is the number of rows of `versions`, which shows that none is missing at the end.
 * - `privacy` has the key of the store, and `forgotten` the texts that the user had forgotten.
 * - `metadata`, `delta` and `chunks.text` are packed by `packText`.
 * - `sum` is the checksum of the other values of the row, by `sumOf`. In `versions` it is over the metadata that the version
 *   has, also if another row contains them, and `delta_sum` is over the delta. `field_keys` and `refs` have no sum: what is
 *   found with them is compared with the versions.
 */
const migrations: readonly string[] = [
  `
  CREATE TABLE objects (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    head INTEGER NOT NULL,
    nickname TEXT,
    sum INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX objects_by_nickname ON objects (nickname) WHERE nickname IS NOT NULL;

  CREATE TABLE versions (
    seq INTEGER PRIMARY KEY,
    object INTEGER NOT NULL REFERENCES objects (key),
    version INTEGER NOT NULL,
    previous INTEGER,
    tx_id INTEGER NOT NULL,
    tx_time INTEGER NOT NULL,
    content_hash BLOB NOT NULL,
    metadata_view_hash BLOB NOT NULL,
    object_hash BLOB NOT NULL,
    further_hashes TEXT,
    base INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    size INTEGER NOT NULL,
    metadata ANY NOT NULL,
    delta ANY,
    hash_rule INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    delta_sum INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX versions_by_number ON versions (object, version);
  CREATE UNIQUE INDEX versions_by_transaction ON versions (object, tx_id);
  CREATE INDEX versions_by_content ON versions (object, content_hash) WHERE content_hash <> x'';

  CREATE TABLE chunks (
    key INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    sum INTEGER NOT NULL,
    text ANY NOT NULL
  ) STRICT;

  CREATE TABLE fields (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    object INTEGER NOT NULL REFERENCES objects (key),
    PRIMARY KEY (name, value, object)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE refs (
    target TEXT NOT NULL,
    object INTEGER NOT NULL REFERENCES objects (key),
    path TEXT NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (target, object, path)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    outcome TEXT NOT NULL,
    sum INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE clock (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    tx_id INTEGER NOT NULL,
    tx_time INTEGER NOT NULL,
    versions INTEGER NOT NULL,
    sum INTEGER NOT NULL
  ) STRICT;
  INSERT INTO clock VALUES (1, 0, 0, 0, ${sumOf(0, new Date(0).toISOString(), 0)});
  ${documentTables}
  ${fileTable}
  `,
  privacyTables,
  fieldTable,
];

const newestVersion = firstVersion + migrations.length - 1;

/** Whether a file has a schema from before the migration that makes a table. */
export function isOlder(connection: Connection, table: string): boolean {
  const since = migrations.findIndex((sql) => sql.includes(`CREATE TABLE ${table} (`));
  return numberOf(connection, "PRAGMA user_version") < firstVersion + since;
}

/** Checks, before the file is changed, that it is a store of this project. Returns whether it must be migrated. */
export function checkFile(connection: Connection, path: string): boolean {
  const application = numberOf(connection, "PRAGMA application_id");
  const version = numberOf(connection, "PRAGMA user_version");
  if (application !== applicationId) {
    const tables = numberOf(connection, "SELECT count(*) FROM sqlite_schema");
    if (application === 0 && version === 0 && tables === 0) return true;
    if (hasOwnTables(connection)) throw headerDamage();
    throw new StoreError(
      "STORE_FOREIGN",
      `${path} is a database of another program; choose a separate path for the store`,
    );
  }
  const isPlausible = version >= 0 && version < newestVersion + 100;
  if ((version < firstVersion || !isPlausible) && hasOwnTables(connection)) throw headerDamage();
  if (version < firstVersion) {
    throw new StoreError(
      "STORE_TOO_OLD",
      `the store ${path} has schema version ${version}, which no release had; choose a separate path for a new store`,
    );
  }
  if (version > newestVersion) {
    throw new StoreError(
      "STORE_TOO_NEW",
      `the store ${path} has schema version ${version}, but this program supports only versions up to ${newestVersion}; update the program`,
    );
  }
  return version < newestVersion;
}

/** Whether a file has the tables of a store, whatever its header says. */
function hasOwnTables(connection: Connection): boolean {
  const row = connection.first("SELECT sql FROM sqlite_schema WHERE name = 'versions'");
  return row !== undefined && migrations.some((sql) => sql.includes(String(row["sql"])));
}

function headerDamage(): DamageError {
  return new DamageError(
    "its header is not as it was written, and the tables of the store are there",
  );
}

/** Migrates a file to the newest schema. Checks again with the write lock, because another process may have done it. */
export function migrate(connection: Connection, path: string): void {
  connection.transaction("write", () => {
    if (!checkFile(connection, path)) return;
    connection.define("field_key", (name, value) => fieldKey(String(name), String(value)));
    const version = numberOf(connection, "PRAGMA user_version");
    const first = Math.max(0, version - firstVersion + 1);
    for (const migration of migrations.slice(first)) connection.execute(migration);
    if (connection.first("SELECT one FROM privacy WHERE one = 1") === undefined)
      writePrivacy(connection);
    connection.execute(
      `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${newestVersion}`,
    );
  });
}

function numberOf(connection: Connection, sql: string): number {
  return Number(Object.values(connection.first(sql) ?? {})[0]);
}
