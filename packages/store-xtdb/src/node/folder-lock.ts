import type { DatabaseSync } from "node:sqlite";

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { makeFolder } from "./make-folder.ts";
import { NodeError } from "./node-error.ts";

const roundMilliseconds = 50;
/** SQLite's result code for a lock that another process holds. */
const busy = 5;

export interface FolderLockOptions {
  /** Milliseconds to wait for the process that holds the lock. */
  readonly wait: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a function that only one process at a time may run for a folder. The lock is SQLite's lock on a file, so the
 * system releases it if the process dies. Rejects with `NODE_BUSY`.
 */
export async function withFolderLock<Result>(
  folder: string,
  { wait, signal }: FolderLockOptions,
  run: () => Promise<Result>,
): Promise<Result> {
  await makeFolder(folder);
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(join(folder, "lock.sqlite"));
  try {
    await take(database, folder, { wait, signal });
    return await run();
  } finally {
    database.close();
  }
}

async function take(
  database: DatabaseSync,
  folder: string,
  { wait, signal }: FolderLockOptions,
): Promise<void> {
  const deadline = Date.now() + wait;
  for (;;) {
    try {
      database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (Date.now() > deadline) {
        throw new NodeError(
          "NODE_BUSY",
          `another process has been preparing, starting or stopping a node in ${folder} for ${Math.round(wait / 1000)} s; try again, or end that process`,
          { cause: error },
        );
      }
    }
    await sleep(roundMilliseconds, undefined, { signal });
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  // The last byte is the primary result code.
  return typeof error.errcode === "number" && (error.errcode & 0xff) === busy;
}
