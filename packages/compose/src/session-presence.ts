import type { HostSession } from "@self-context-manager/core";

import { createHash } from "node:crypto";
import { mkdir, open, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import type { StorePlace } from "./search-path.ts";

/** The claim of a process that it has a session open. */
interface SessionPresence extends AsyncDisposable {
  /** Whether another process, or another manager of this process, had the session open already. */
  readonly isShared: boolean;
}

/**
 * Records in a folder that this process has a session open. The record is a lock, which ends with the process in every
 * case. The lock is SQLite's lock on an empty file, because every platform has it. It does not stop other processes.
 */
export async function openPresence(folder: string, host: HostSession): Promise<SessionPresence> {
  const path = lockOf(folder, host);
  try {
    // Neither replaces one that exists. Opening an existing lock file here would release a lock of this process.
    await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
    await open(path, "ax", 0o600)
      .then(async (file) => await file.close())
      .catch(() => undefined);
    const { DatabaseSync } = await import("node:sqlite");
    const lock = new DatabaseSync(path, { timeout: 0 });
    try {
      lock.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      lock.close();
      return { isShared: isBusy(error), [Symbol.asyncDispose]: async () => {} };
    }
    let isOpen = true;
    return {
      isShared: false,
      [Symbol.asyncDispose]: async () => {
        if (!isOpen) return;
        isOpen = false;
        // The file goes before the lock. Otherwise another process could lock the file in between, and a third one would
        // make a new file and not notice the other.
        const isGone = await removed(path);
        lock.close();
        // Windows does not delete a file that is open.
        if (!isGone) await removed(path);
      },
    };
  } catch {
    // Without a lock the user is not notified; the store itself is safe with two writers.
    return { isShared: false, [Symbol.asyncDispose]: async () => {} };
  }
}

/**
 * Whether a process of this machine has a session open. Undefined for a store that other machines can use, where it cannot
 * be known.
 */
export async function isSessionOpen(
  { store, at }: StorePlace,
  host: HostSession,
): Promise<boolean | undefined> {
  const folder = locksOf({ store, at });
  if (folder === undefined) return store === "memory" ? false : undefined;
  const path = lockOf(folder, host);
  if ((await stat(path).catch(() => undefined)) === undefined) return false;
  const { DatabaseSync } = await import("node:sqlite");
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return false;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return true;
  } finally {
    lock.close();
  }
}

/** The folder of the locks of a store's sessions; undefined if there are none. */
export function locksOf({ store, at }: Pick<StorePlace, "store" | "at">): string | undefined {
  return store === "sqlite" ? `${at}.open` : undefined;
}

function lockOf(folder: string, { harness, sessionId }: HostSession): string {
  const name = createHash("sha256")
    .update(JSON.stringify([harness, sessionId]))
    .digest("hex");
  return join(folder, `${name.slice(0, 32)}.lock`);
}

/** Deletes a lock file; returns whether it is gone. A file that stays is used again by the next opening. */
async function removed(path: string): Promise<boolean> {
  return await rm(path, { force: true }).then(
    () => true,
    () => false,
  );
}

/** SQLITE_BUSY and SQLITE_LOCKED. */
function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    "errcode" in error &&
    typeof error.errcode === "number" &&
    [5, 6].includes(error.errcode & 0xff)
  );
}
