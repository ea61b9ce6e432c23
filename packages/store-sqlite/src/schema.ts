import { StoreError } from "@self-context-manager/objects";

import type { Connection } from "./connection.ts";
import { documentTables } from "./document-index.ts";
import { indexAgain } from "./index-again.ts";

/** Marks a file as an object store of this project: "SCM1" in ASCII. */
const applicationId = 0x53_43_4d_31;

/**
 * The migrations from each version of the schema to the next. `user_version` counts the migrations that have run.
 *
 * - `versions.seq` is the order in which versions were added to this file. `changesSince` uses it.
 * - `versions.metadata` is the body with 0 instead of each bulk field, so that the order of fields is kept. If an earlier
 *   version has equal metadata, the column contains that version's number instead, and `metadata_view_hash` is empty.
 * - `content_hash` is empty for the hash of the empty text. The index `versions_by_content` omits these rows.
 * - `versions.delta` turns the bulk fields of the previous version into those of this one. It is null if they are equal.
 *   In a row whose `version` is its `base`, the delta needs no earlier row.
 * - `hash_rule` is the number of the rule that made the hashes.
 * - `weight` is the number of characters of the deltas since the base, and `size` that of the bulk fields.
 * - `fields` and `refs` contain the latest versions only.
 * - `metadata`, `delta` and `chunks.text` are packed by `packText`.
 */
const migrations: readonly (string | ((connection: Connection) => void))[] = [
  `
  CREATE TABLE objects (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    head INTEGER NOT NULL,
    nickname TEXT
  ) STRICT;
  CREATE UNIQUE INDEX objects_by_nickname ON objects (nickname) WHERE nickname IS NOT NULL;

  CREATE TABLE versions (
    seq INTEGER PRIMARY KEY,
    object INTEGER NOT NULL REFERENCES objects (key),
    version INTEGER NOT NULL,
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
    delta ANY
  ) STRICT;
  CREATE UNIQUE INDEX versions_by_number ON versions (object, version);
  CREATE UNIQUE INDEX versions_by_transaction ON versions (object, tx_id);
  CREATE INDEX versions_by_time ON versions (object, tx_time);
  CREATE INDEX versions_by_content ON versions (object, content_hash);

  CREATE TABLE chunks (
    key INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
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
    outcome TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE clock (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    tx_id INTEGER NOT NULL,
    tx_time INTEGER NOT NULL
  ) STRICT;
  INSERT INTO clock VALUES (1, 0, 0);
  `,
  `
  UPDATE versions SET content_hash = x''
  WHERE content_hash = x'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  `,
  `
  DROP INDEX IF EXISTS versions_by_time;
  DROP INDEX IF EXISTS versions_by_content;
  CREATE INDEX versions_by_content ON versions (object, content_hash) WHERE content_hash <> x'';
  `,
  (connection) => {
    connection.execute("ALTER TABLE versions ADD COLUMN hash_rule INTEGER NOT NULL DEFAULT 1");
    indexAgain(connection);
  },
  documentTables,
];

/** Checks, before the file is changed, that it is a store of this project. Returns whether it must be migrated. */
export function checkFile(connection: Connection, path: string): boolean {
  const application = numberOf(connection, "PRAGMA application_id");
  const version = numberOf(connection, "PRAGMA user_version");
  if (application !== applicationId) {
    const tables = numberOf(connection, "SELECT count(*) FROM sqlite_schema");
    if (application === 0 && version === 0 && tables === 0) return true;
    throw new StoreError(
      "STORE_FOREIGN",
      `${path} is a database of another program; choose a separate path for the store`,
    );
  }
  if (version < 1) {
    throw new StoreError(
      "STORE_CORRUPT",
      `the store ${path} is damaged: its schema version is ${version}, and the first is 1; restore it from a copy or an export`,
    );
  }
  if (version > migrations.length) {
    throw new StoreError(
      "STORE_TOO_NEW",
      `the store ${path} has schema version ${version}, but this program supports only versions up to ${migrations.length}; update the program`,
    );
  }
  return version < migrations.length;
}

/** Migrates a file to the newest schema. Checks again with the write lock, because another process may have done it. */
export function migrate(connection: Connection, path: string): void {
  connection.transaction("write", () => {
    if (!checkFile(connection, path)) return;
    const version = numberOf(connection, "PRAGMA user_version");
    for (const migration of migrations.slice(version)) {
      if (typeof migration === "string") connection.execute(migration);
      else migration(connection);
    }
    connection.execute(
      `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`,
    );
  });
}

function numberOf(connection: Connection, sql: string): number {
  return Number(Object.values(connection.first(sql) ?? {})[0]);
}
