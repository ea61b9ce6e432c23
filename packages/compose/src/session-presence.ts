import type { HostSession } from "@self-context-manager/core";

import { createHash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** A process's claim to have a session open. */
export interface SessionPresence extends AsyncDisposable {
  /** Another process, or another manager of this one, had the session open already. */
  readonly isShared: boolean;
}

/**
 * Says in a folder that this process has a session open, by a lock that ends with the process however that ends. The
 * lock is SQLite's on an empty file, which every platform has; it keeps nobody from anything.
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
    await mkdir(folder, { recursive: true });
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
        lock.close();
        await rm(path, { force: true });
      },
    };
  } catch {
    // Where no lock can be kept nobody is told; the store itself holds against two writers.
    return { isShared: false, [Symbol.asyncDispose]: async () => {} };
  }
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
