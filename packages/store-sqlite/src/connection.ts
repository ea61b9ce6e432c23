import { StoreError } from "@self-context-manager/objects";
import type { DatabaseSync, StatementSync } from "node:sqlite";

export type SqlValue = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, SqlValue | undefined>>;

/** One open database. Only this file imports `node:sqlite`, because Node may rename the module one day. */
export interface Connection {
  /** Returns the first row of the result; undefined if there is none. */
  first(sql: string, ...values: readonly SqlValue[]): Row | undefined;
  all(sql: string, ...values: readonly SqlValue[]): readonly Row[];
  run(sql: string, ...values: readonly (SqlValue | bigint)[]): { readonly lastKey: number };
  /** Runs one or more statements without parameters and without a result. */
  execute(sql: string): void;
  /** Defines a function for statements. The same arguments always give the same value. */
  define(name: string, value: (...values: readonly SqlValue[]) => SqlValue): void;
  /**
   * Runs `run` in a transaction, which is rolled back if `run` throws. Both kinds that write take the write lock at the
   * start, so another writer cannot make them fail halfway. An `unsynced-write` does not wait for the disk; the next
   * `write` waits for both.
   */
  transaction<Result>(kind: TransactionKind, run: () => Result): Result;
  close(): void;
}

export type TransactionKind = "read" | "write" | "unsynced-write";

/** Opens a database file. Each statement is prepared once and reused. */
export async function connect(path: string, load: LoadSqlite = loadSqlite): Promise<Connection> {
  const { DatabaseSync } = await load();
  const database = new DatabaseSync(path);
  const statements = new Map<string, StatementSync>();

  let isSynced = true;

  /** Sets whether a commit waits for the disk. A synced commit also syncs the earlier commits in the write-ahead log. */
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
    define: (name, value) =>
      database.function(name, { deterministic: true, varargs: true }, (...values) =>
        value(...(values as SqlValue[])),
      ),
    transaction(kind, run) {
      if (kind !== "read") setSync(kind === "write");
      prepared(kind === "read" ? "BEGIN" : "BEGIN IMMEDIATE").run();
      try {
        const result = run();
        // In a damaged database, a commit can fail even if nothing was written.
        prepared(kind === "read" ? "ROLLBACK" : "COMMIT").run();
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

/** Loads Node's own SQLite. Rejects with `STORE_UNAVAILABLE` on a Node without it. */
export async function loadSqlite(): ReturnType<LoadSqlite> {
  try {
    return await import("node:sqlite");
  } catch (cause) {
    throw new StoreError(
      "STORE_UNAVAILABLE",
      `this Node (${process.version}) has no node:sqlite; use Node 24, or Node 22.22 or newer`,
      { cause },
    );
  }
}

function rollBack(database: DatabaseSync): void {
  // Some failures, for example a full disk, have already ended the transaction.
  if (database.isTransaction) database.exec("ROLLBACK");
}

/** Returns the extended result code of an SQLite error; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode
    : undefined;
}
