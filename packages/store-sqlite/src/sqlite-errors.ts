import { StoreError, type StoreErrorCode } from "@self-context-manager/objects";

import { sqliteCode } from "./connection.ts";

/** The commands that help with a damaged store. */
const damageAdvice =
  "scm doctor shows what is damaged, scm doctor --repair keeps what is sound, and scm restore takes a backup";

/** The error code and the advice for each primary result code of SQLite (sqlite.org/rescode.html). */
const answers: Readonly<Record<number, readonly [StoreErrorCode, string]>> = {
  // All statements are constant, so one is wrong only if the tables are not those that the store made.
  1: ["STORE_CORRUPT", `its tables are not as they were made; ${damageAdvice}`],
  3: ["STORE_UNREADABLE", "access is denied; check its owner and its permissions"],
  5: ["STORE_BUSY", "another program keeps it locked; wait for that program, or end it"],
  6: ["STORE_BUSY", "another program keeps it locked; wait for that program, or end it"],
  8: [
    "STORE_READ_ONLY",
    "it cannot be written; make the file and its folder writable, or choose another path",
  ],
  10: [
    "STORE_UNREADABLE",
    "a read or a write failed; check the disk, and check that the file was not moved",
  ],
  11: ["STORE_CORRUPT", `it is damaged; ${damageAdvice}`],
  13: [
    "STORE_FULL",
    "no space is left for it; free some space and try again; what it has is unchanged",
  ],
  14: ["STORE_UNREADABLE", "it cannot be opened; check that its folder exists and is accessible"],
  26: [
    "STORE_CORRUPT",
    `it is not a database, or its beginning is damaged; choose another path, or ${damageAdvice}`,
  ],
};

/** The extended code for a full disk when the shared-memory file grows. Its primary code is a general I/O error. */
const noRoomForSharedMemory = 4874;

/** Returns a `StoreError` with the file and the action to take for an SQLite error; any other error unchanged. */
export function storeErrorOf(error: unknown, path: string): unknown {
  if (error instanceof DamageError || isOutOfRange(error))
    return damageIn(path, error.message, error);
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const answer = answers[code === noRoomForSharedMemory ? 13 : code & 0xff];
  if (answer === undefined) return error;
  return new StoreError(answer[0], `the store ${path}: ${answer[1]}`, { cause: error });
}

/** Whether a column contains a number that no store writes, so that Node cannot return it. */
function isOutOfRange(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "ERR_OUT_OF_RANGE";
}

/** Returns the error for damage of a store, with what is damaged and what to do. */
export function damageIn(path: string, what: string, cause?: unknown): StoreError {
  const message = `the store ${path} is damaged: ${what}; ${damageAdvice}`;
  return new StoreError("STORE_CORRUPT", message, cause === undefined ? undefined : { cause });
}

/** Returns the error that SQLite has for a locked database, where it reports the lock in another way. */
export function busyError(): Error {
  return Object.assign(new Error("the database is locked"), { errcode: 5 });
}

export function isBusy(error: unknown): boolean {
  const primary = (sqliteCode(error) ?? 0) & 0xff;
  return primary === 5 || primary === 6;
}

/** Whether an error means that the database or a stored row is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof DamageError || ((sqliteCode(error) ?? 0) & 0xff) === 11;
}

/** Damage that this package found in the stored rows, and not SQLite itself. */
export class DamageError extends Error {
  override readonly name = "DamageError";
}
