import { StoreError } from "@self-context-manager/objects";
import type { DatabaseSync, StatementSync } from "node:sqlite";

export type SqlValue = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, SqlValue | undefined>>;

/** One open database. The only file that knows `node:sqlite`, which may be renamed one day. */
export interface Connection {
  /** The first row of an answer. */
  first(sql: string, ...values: readonly SqlValue[]): Row | undefined;
  all(sql: string, ...values: readonly SqlValue[]): readonly Row[];
  run(sql: string, ...values: readonly (SqlValue | bigint)[]): { readonly lastKey: number };
  /** Runs statements that answer nothing, as they stand. */
  execute(sql: string): void;
  /**
   * Runs all of it or nothing. The kinds that write take the right to it at once, so that they cannot fail half-way;
   * `unsynced-write` leaves it to the next `write` to wait for the disk.
   */
  transaction<Result>(kind: TransactionKind, run: () => Result): Result;
  close(): void;
}

export type TransactionKind = "read" | "write" | "unsynced-write";

/** Opens a database file. Statements are prepared once and kept. */
export async function connect(path: string, load: LoadSqlite = loadSqlite): Promise<Connection> {
  const { DatabaseSync } = await load();
  const database = new DatabaseSync(path);
  const statements = new Map<string, StatementSync>();

  let isSynced = true;

  /** With the write-ahead log, what one commit syncs is all of the log before it too. */
  function setSync(isWanted: boolean): void {
    if (isSynced === isWanted) return;
    database.exec(`PRAGMA synchronous = ${isWanted ? "FULL" : "NORMAL"}`);
    isSynced = isWanted;
  }

  function prepared(sql: string): StatementSync {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  return {
    first: (sql, ...values) => prepared(sql).get(...values) as Row | undefined,
    all: (sql, ...values) => prepared(sql).all(...values) as readonly Row[],
    run: (sql, ...values) => ({ lastKey: Number(prepared(sql).run(...values).lastInsertRowid) }),
    execute: (sql) => database.exec(sql),
    transaction(kind, run) {
      if (kind !== "read") setSync(kind === "write");
      prepared(kind === "read" ? "BEGIN" : "BEGIN IMMEDIATE").run();
      try {
        const result = run();
        prepared("COMMIT").run();
        return result;
      } catch (error) {
        rollBack(database);
        throw error;
      }
    },
    close() {
      statements.clear();
      database.close();
    },
  };
}

export type LoadSqlite = () => Promise<{ readonly DatabaseSync: typeof DatabaseSync }>;

/** Node's own SQLite. Rejects with `STORE_UNAVAILABLE` on a Node without it. */
export async function loadSqlite(): ReturnType<LoadSqlite> {
  try {
    return await import("node:sqlite");
  } catch (cause) {
    throw new StoreError(
      "STORE_UNAVAILABLE",
      `this Node (${process.version}) has no node:sqlite; run with Node 24, or any from 22.19 on`,
      { cause },
    );
  }
}

function rollBack(database: DatabaseSync): void {
  // Some failures, a full disk among them, have ended the transaction already.
  if (database.isTransaction) database.exec("ROLLBACK");
}

/** SQLite's extended result code of an error, undefined where it is another error. */
export function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode
    : undefined;
}
