import { StoreError } from "@self-context-manager/objects";
import { open } from "node:fs/promises";
import { resolve } from "node:path";

import { connect } from "./connection.ts";
import { checkLog, hasLog } from "./log-of-file.ts";
import { checkFile } from "./schema.ts";
import { storeErrorOf } from "./sqlite-errors.ts";

/** Milliseconds that a copy waits for a lock. Writers hold one only for moments. */
const patience = 10_000;

/**
 * Copies the store of a file into a new file, which only this user can read. The copy is complete and of one moment: it
 * is read in one transaction, so that other processes can write meanwhile and a busy writer cannot make it begin again.
 * Its log is in it. Rejects with `StoreError`, or with the error of the system if the new file cannot be made.
 */
export async function copySqliteStore(path: string, to: string): Promise<void> {
  const from = resolve(path);
  // SQLite itself would create the file with the permissions of the process.
  await (await open(to, "wx", 0o600)).close();
  const hadLog = hasLog(from);
  const source = await connect(from);
  try {
    source.execute(`PRAGMA busy_timeout = ${patience}`);
    checkFile(source, from);
    checkLog(source, from, hadLog);
    source.run("VACUUM INTO ?", to);
  } catch (error) {
    throw storeErrorOf(error, from);
  } finally {
    source.close();
  }
}

/** Whether another process, or another connection of this one, has the store open. A damaged file is not in use. */
export async function isSqliteStoreOpen(path: string): Promise<boolean> {
  const connection = await connect(resolve(path));
  try {
    // A connection to a file in WAL mode has a shared lock on it until it is closed.
    connection.execute("PRAGMA busy_timeout = 100; PRAGMA locking_mode = EXCLUSIVE");
    connection.execute("BEGIN EXCLUSIVE; ROLLBACK");
    return false;
  } catch (error) {
    const known = storeErrorOf(error, path);
    return StoreError.is(known, "STORE_BUSY");
  } finally {
    connection.close();
  }
}
