import { StoreError } from "@self-context-manager/objects";
import { existsSync, statSync } from "node:fs";

import type { Connection } from "./connection.ts";

/**
 * The table with the file in which the store was opened last: the number that the file system gave to it. A copy of the
 * file has another number. This distinguishes a copy that lacks the log from a file whose log another program has removed
 * after it had moved everything into the file.
 */
export const fileTable = `
  CREATE TABLE file (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    number TEXT NOT NULL
  ) STRICT;
`;

/** Whether a write-ahead log is beside a file; an empty one says that all is in the file. To be asked before SQLite opens the file. */
export function hasLog(path: string): boolean {
  return existsSync(`${path}-wal`);
}

/**
 * Throws `STORE_CORRUPT` for a file that was copied while its store was in use, without the log. Such a file is in WAL
 * mode, because only the last process that closes a store ends that mode.
 */
export function checkLog(connection: Connection, path: string, hadLog: boolean): void {
  if (hadLog || connection.first("PRAGMA journal_mode")?.["journal_mode"] !== "wal") return;
  const known = knownNumber(connection);
  if (known === undefined || known === numberOf(path)) return;
  throw new StoreError(
    "STORE_CORRUPT",
    `the store ${path} was copied while it was in use, without its log ${path}-wal, so its latest versions are missing; copy it again with scm backup, or copy the log too; scm doctor --repair keeps what this file has`,
  );
}

/** Writes the number of the file, if it is not there. To be called before the file enters WAL mode. */
export function noteFile(connection: Connection, path: string): void {
  const number = numberOf(path);
  if (knownNumber(connection) === number) return;
  connection.run("INSERT OR REPLACE INTO file (one, number) VALUES (1, ?)", number);
}

/** Moves the log into a file that was moved away from its path. Nothing more is written to it, so it needs no log there. */
export function leaveLog(connection: Connection): void {
  try {
    connection.execute("DELETE FROM file");
  } catch {
    // A full disk, or another process that writes. A copy of the file may then be refused.
  }
  moveLog(connection);
}

function moveLog(connection: Connection): void {
  try {
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // All acknowledged commits are in the log. The next process that opens the file reads them there.
  }
}

/** Ends WAL mode, which only the last process with the file can. Afterwards the file alone is the whole store. */
export function endLog(connection: Connection): void {
  moveLog(connection);
  try {
    connection.execute("PRAGMA journal_mode = DELETE");
  } catch {
    // Another process has the file open, and ends the mode when it closes the file.
  }
}

function knownNumber(connection: Connection): string | undefined {
  const number = connection.first("SELECT number FROM file WHERE one = 1")?.["number"];
  return typeof number === "string" ? number : undefined;
}

function numberOf(path: string): string {
  return String(statSync(path, { bigint: true }).ino);
}
