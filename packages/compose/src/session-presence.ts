import type { HostSession } from "@self-context-manager/core";

import { createHash } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";

/** The claim of a process that it has a session open. */
interface SessionPresence extends AsyncDisposable {
  /** Whether another process, or another manager of this process, had the session open already. */
  readonly isShared: boolean;
}

/**
 * Records in a folder that this process has a session open. The record is a lock, which ends with the process in every
 * case. The lock is SQLite's lock on an empty file, because every platform has it. It does not stop other processes.
 */
export async function openPresence(
  folder: string,
  { harness, sessionId }: HostSession,
): Promise<SessionPresence> {
  const name = createHash("sha256")
    .update(JSON.stringify([harness, sessionId]))
    .digest("hex");
  const path = join(folder, `${name.slice(0, 32)}.lock`);
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
