import type { SearchHit, SearchIndex, SearchQuery } from "@self-context-manager/objects";
import { chmodSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";

import { addTexts } from "./add-texts.ts";
import { unpackId } from "./packed-id.ts";
import { queryPhrases, queryWords } from "./split-words.ts";

export interface SearchIndexOptions {
  /** The path of the index's file; `:memory:` for one that ends with the process. A missing file is made. */
  readonly path: string;
  /** Waited for between two slices of an `add`, so that other work comes in between. Default: a turn of the event loop. */
  readonly breathe?: () => Promise<void>;
}

/** Free pages that are given back at once. */
const pagesAtOnce = 1_000;

/** Most words of a query, so that a pasted page is answered as soon as a question. */
const mostWords = 32;

/** Milliseconds that SQLite waits for another process that writes. */
const busyTimeout = 2_000;

/** Marks a file as a search index of this project: "SCMS" in ASCII. */
const applicationId = 0x53_43_4d_53;

/** The version of the tables, and of the texts in them: an index with fewer of them is made again. */
const schemaVersion = 4;

/** Free pages of the file, as a share of all, from which it is made smaller. Fewer are used again by the next texts. */
const mostFree = 0.05;

/**
 * `id` is an id as `packId` has it; `type` and `session` are keys of `names`. A text is found once it is `complete`. Its
 * words are in `ranked`, under its key, and in `rest`, each once, under the keys of its parts. A key is never used again, so
 * the slices of a text that another process has replaced meanwhile belong to nothing.
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
    complete INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX texts_by_place ON texts (id, place, version);
  CREATE TABLE parts (key INTEGER PRIMARY KEY, text INTEGER NOT NULL) STRICT;
  CREATE INDEX parts_by_text ON parts (text);
  CREATE VIRTUAL TABLE ranked USING fts5(
    words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
  );
  CREATE VIRTUAL TABLE rest USING fts5(
    words, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 2'
  );
  CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), position TEXT NOT NULL) STRICT;
`;

const tables = ["ranked", "rest", "parts", "texts", "names", "state"];

/** Opens a full-text index (decision D67). An index of another version is made again. Throws for a file of another program. */
export function openSearchIndex({
  path,
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

  function inTransaction<Result>(work: () => Result): Result {
    prepared("BEGIN IMMEDIATE").run();
    try {
      const result = work();
      prepared("COMMIT").run();
      return result;
    } catch (error) {
      if (database.isTransaction) prepared("ROLLBACK").run();
      throw error;
    }
  }

  function search({ words, type, session, limit = 20 }: SearchQuery): readonly SearchHit[] {
    const wanted = queryWords(words).slice(0, mostWords);
    if (wanted.length === 0 || limit <= 0) return [];
    const match = wanted.map((word) => `"${word}"`);
    const phrases = queryPhrases(words).slice(0, mostWords);
    const conditions = [
      ...(type === undefined ? [] : [[`t.type = ${keyOfName}`, type] as const]),
      ...(session === undefined ? [] : [[`t.session = ${keyOfName}`, session] as const]),
    ];
    const where = ["t.complete = 1", ...conditions.map(([condition]) => condition)].join(" AND ");
    const values = conditions.map(([, value]) => value);
    const ranked = (expression: string): readonly SearchHit[] =>
      prepared(
        `SELECT t.*, n.name, bm25(ranked) AS rank
         FROM ranked JOIN texts t ON t.key = ranked.rowid JOIN names n ON n.key = t.type
         WHERE ranked MATCH ? AND ${where} ORDER BY rank LIMIT ?`,
      )
        .all(expression, ...values, limit)
        .map((row) => hitOf(row, -Number(row["rank"])));
    if (phrases.length > 0) {
      const needed = phrases.map((phrase) => `"${phrase}"`);
      const withPhrases = ranked(
        `${needed.join(" AND ")} AND (${[...needed, ...match].join(" OR ")})`,
      );
      if (withPhrases.length > 0) return withPhrases;
    }
    const hits = ranked(match.join(" OR "));
    if (hits.length >= limit) return hits;
    const known = new Set(hits.map(placeOf));
    // A long text that has the words further down must have all of them. The newest comes first.
    const others = prepared(
      `SELECT t.*, n.name
       FROM texts t JOIN names n ON n.key = t.type
       WHERE t.key IN (${match.map(() => textsWithWord).join(" INTERSECT ")}) AND ${where}
       ORDER BY t.key DESC LIMIT ?`,
    )
      .all(...match, ...values, limit)
      .map((row) => hitOf(row, 0))
      .filter((hit) => !known.has(placeOf(hit)));
    return [...hits, ...others].slice(0, limit);
  }

  return {
    async position() {
      const row = prepared("SELECT position FROM state").get();
      return row === undefined ? undefined : String(row["position"]);
    },

    async add(texts, position) {
      const work = addTexts(prepared, texts, position);
      while (inTransaction(() => work.next()).done !== true) await breathe();
      giveBackPages(database);
    },

    search: async (query) => search(query),

    async clear() {
      inTransaction(() => {
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

/** The texts with a word in one of their parts. */
const textsWithWord =
  "SELECT p.text FROM rest JOIN parts p ON p.key = rest.rowid WHERE rest MATCH ?";

const keyOfName = "(SELECT key FROM names WHERE name = ?)";

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

function placeOf({ id, version, place }: SearchHit): string {
  return `${id} ${version} ${place}`;
}

function hitOf(row: Record<string, unknown>, score: number): SearchHit {
  return {
    id: unpackId(row["id"]),
    version: Number(row["version"]),
    place: String(row["place"]),
    type: String(row["name"]),
    score,
  };
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
