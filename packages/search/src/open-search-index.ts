import type { ObjectId, SearchIndex } from "@self-context-manager/objects";
import { chmodSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";

import { addTexts, endOfId } from "./add-texts.ts";
import { searchTexts } from "./search-texts.ts";

export interface SearchIndexOptions {
  /** The path of the index's file; `:memory:` for one that ends with the process. A missing file is made. */
  readonly path: string;
  /**
   * Returns the text of a version, which the index does not have, to look for phrases in it. Without it, the words of a
   * phrase count one by one.
   */
  readonly readText?: (id: ObjectId, version: number) => Promise<string | undefined>;
  /** Waited for between two slices of an `add`, so that other work comes in between. Default: a turn of the event loop. */
  readonly breathe?: () => Promise<void>;
}

/** Free pages that are given back at once. */
const pagesAtOnce = 1_000;

/** Milliseconds that SQLite waits for another process that writes. */
const busyTimeout = 2_000;

/** Marks a file as a search index of this project: "SCMS" in ASCII. */
const applicationId = 0x53_43_4d_53;

/** The version of the tables, and of the texts in them: an index with fewer of them is made again. */
const schemaVersion = 5;

/** Free pages of the file, as a share of all, from which it is made smaller. Fewer are used again by the next texts. */
const mostFree = 0.05;

/**
 * `id` is an id as `packId` has it; `type` and `session` are keys of `names`. A text is found once it is `complete`. The
 * words of its beginning are in `ranked`, under its key; `words` is their number. All words of a long text are in `rest`,
 * under the keys of its parts. Each word is there once, without its places (`detail=none`), which would take more than all
 * else. A key is never used again, so the slices of a text that another process has replaced meanwhile belong to nothing.
 */
const schema = `
  CREATE TABLE names (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE texts (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id ANY NOT NULL,
    version INTEGER NOT NULL,
    place TEXT NOT NULL,
    type INTEGER NOT NULL REFERENCES names (key),
    session INTEGER REFERENCES names (key),
    words INTEGER NOT NULL,
    complete INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX texts_by_id ON texts (${endOfId});
  CREATE INDEX incomplete_texts ON texts (key) WHERE complete = 0;
  CREATE TABLE parts (key INTEGER PRIMARY KEY, text INTEGER NOT NULL) STRICT;
  CREATE INDEX parts_by_text ON parts (text);
  CREATE VIRTUAL TABLE ranked USING fts5(
    words, content='', contentless_delete=1, detail=none, tokenize='ascii'
  );
  CREATE VIRTUAL TABLE rest USING fts5(
    words, content='', contentless_delete=1, detail=none, tokenize='ascii'
  );
  CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), position TEXT NOT NULL) STRICT;
`;

const tables = ["ranked", "rest", "parts", "texts", "names", "state"];

/** Opens a full-text index (decision D67). An index of another version is made again. Throws for a file of another program. */
export function openSearchIndex({
  path,
  readText,
  breathe = async () => await setImmediate(),
}: SearchIndexOptions): SearchIndex {
  const database = open(path);
  const statements = new Map<string, StatementSync>();
  let isOpen = true;

  function prepared(sql: string): StatementSync {
    if (!isOpen) throw new Error(`the search index ${path} is closed; open it again`);
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  function inTransaction<Result>(kind: "DEFERRED" | "IMMEDIATE", work: () => Result): Result {
    prepared(`BEGIN ${kind}`).run();
    try {
      const result = work();
      prepared("COMMIT").run();
      return result;
    } catch (error) {
      if (database.isTransaction) prepared("ROLLBACK").run();
      throw error;
    }
  }

  return {
    async position() {
      const row = prepared("SELECT position FROM state").get();
      return row === undefined ? undefined : String(row["position"]);
    },

    async add(texts, position) {
      const work = addTexts(prepared, texts, position);
      while (inTransaction("IMMEDIATE", () => work.next()).done !== true) await breathe();
      giveBackPages(database);
    },

    search: searchTexts(prepared, { atOnce: (work) => inTransaction("DEFERRED", work), readText }),

    async clear() {
      inTransaction("IMMEDIATE", () => {
        for (const table of ["ranked", "rest"])
          prepared(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`).run();
        for (const table of ["parts", "texts", "names", "state"])
          prepared(`DELETE FROM ${table}`).run();
      });
      // The words of a text that the user had forgotten must not stay in free pages or in the log.
      database.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    },

    async [Symbol.asyncDispose]() {
      if (!isOpen) return;
      isOpen = false;
      statements.clear();
      database.close();
    },
  };
}

/** Merges at the end of a transaction leave pages free. */
function giveBackPages(database: DatabaseSync): void {
  try {
    const free = numberOf(database, "PRAGMA freelist_count");
    if (free > mostFree * numberOf(database, "PRAGMA page_count"))
      database.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`);
  } catch {
    // Another process writes. The texts are stored, and the pages are given back after the next ones.
  }
}

function open(given: string): DatabaseSync {
  const path = given === ":memory:" ? given : resolve(given);
  if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path, { timeout: busyTimeout });
  try {
    if (path !== ":memory:") chmodSync(path, 0o600);
    database.exec(
      "PRAGMA page_size = 1024; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
    );
    if (versionOf(database, path) !== schemaVersion) make(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Returns the version of an index; 0 for an empty file. Throws for a database of another program. */
function versionOf(database: DatabaseSync, path: string): number {
  const application = numberOf(database, "PRAGMA application_id");
  if (application === applicationId) return numberOf(database, "PRAGMA user_version");
  if (application === 0 && numberOf(database, "SELECT count(*) FROM sqlite_schema") === 0) return 0;
  throw new Error(
    `${path} is a database of another program; choose another path for the search index`,
  );
}

/** Makes the tables. Those of another version are removed, because all texts can be added again. */
function make(database: DatabaseSync, path: string): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have made them in the meantime.
    if (versionOf(database, path) !== schemaVersion) {
      for (const table of tables) database.exec(`DROP TABLE IF EXISTS ${table}`);
      database.exec(schema);
      database.exec(
        `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`,
      );
    }
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function numberOf(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
}
