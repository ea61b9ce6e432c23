import { StoreError, type StoreErrorCode } from "@self-context-manager/objects";

import { sqliteCode } from "./connection.ts";

/** Primary result codes of SQLite (sqlite.org/rescode.html) by what a caller can do about them. */
const answers: Readonly<Record<number, readonly [StoreErrorCode, string]>> = {
  3: ["STORE_UNREADABLE", "access is denied; check who owns it and its permissions"],
  5: [
    "STORE_BUSY",
    "another program keeps it locked; wait for that program, end it, or raise busyTimeout",
  ],
  6: [
    "STORE_BUSY",
    "another program keeps it locked; wait for that program, end it, or raise busyTimeout",
  ],
  8: [
    "STORE_READ_ONLY",
    "it cannot be written; make the file and its folder writable, or name another path",
  ],
  10: [
    "STORE_UNREADABLE",
    "reading or writing it failed; check the disk, and that nothing moved the file",
  ],
  11: ["STORE_CORRUPT", "it is damaged; move it away and restore it from a copy or an export"],
  13: ["STORE_FULL", "there is no room to write; free some space and try again, nothing was lost"],
  14: ["STORE_UNREADABLE", "it cannot be opened; check that its folder is there and accessible"],
  26: [
    "STORE_CORRUPT",
    "it is no database, or its beginning is damaged; restore it from a copy or name another path",
  ],
};

/** Extended codes that say more than their primary code: no room for the shared-memory file. */
const noRoomForSharedMemory = 4874;

/** Turns an error of SQLite into one that names the file and what to do; any other is answered as it is. */
export function storeErrorOf(error: unknown, path: string): unknown {
  if (error instanceof DamageError) {
    const message = `the store ${path}: it is damaged, ${error.message}; restore it from a copy or an export`;
    return new StoreError("STORE_CORRUPT", message, { cause: error });
  }
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const answer = answers[code === noRoomForSharedMemory ? 13 : code & 0xff];
  if (answer === undefined) return error;
  return new StoreError(answer[0], `the store ${path}: ${answer[1]}`, { cause: error });
}

export function isBusy(error: unknown): boolean {
  const primary = (sqliteCode(error) ?? 0) & 0xff;
  return primary === 5 || primary === 6;
}

/** What is stored does not fit together, as this package found and not SQLite. */
export class DamageError extends Error {
  override readonly name = "DamageError";
}
