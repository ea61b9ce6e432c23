import { StoreError } from "@self-context-manager/objects";
import { rmSync, type BigIntStats, statSync } from "node:fs";

/** The side files that SQLite keeps next to an open database. */
const sideFiles = ["-wal", "-shm"] as const;

/** The files of an open store, to notice when its path leads elsewhere. */
export interface FileIdentity {
  /** Throws `STORE_LOST` if the store's file was deleted, renamed or replaced since it was opened. */
  check(): void;
  /** Whether the path still leads to the store's file. */
  isThere(): boolean;
  /** Removes the side files that belong to the lost file, so that a new file at the path does not get them. */
  removeSideFiles(): void;
}

/** Records which file is at the path of a store that has just been opened. */
export function fileIdentity(path: string): FileIdentity {
  const opened = look(path);
  const sides = sideFiles.map((end) => ({ path: path + end, facts: look(path + end) }));
  return {
    isThere: () => isSame(look(path), opened),
    check() {
      const now = look(path);
      if (now === "unknown" || opened === "unknown" || isSame(now, opened)) return;
      const happened =
        now === undefined ? "was deleted or renamed" : "was replaced by another file";
      throw new StoreError(
        "STORE_LOST",
        `the store ${path} ${happened} while it was open, so nothing more is written to it; open it again to begin a new store, or put the file back first`,
      );
    },
    removeSideFiles() {
      // The file was put back, so other processes may use it with these side files.
      if (isSame(look(path), opened)) return;
      for (const { path: side, facts } of sides) removeIfSame(side, facts);
    },
  };
}

/**
 * Removes side files whose database is gone. SQLite would share them with a process that still has that database open,
 * and read from them into a new database.
 */
export function removeLeftovers(path: string): void {
  const leftovers = sideFiles.map((end) => ({ path: path + end, facts: look(path + end) }));
  if (leftovers.every(({ facts }) => facts === undefined) || look(path) !== undefined) return;
  // A process that creates the database now removes the same files first, and makes new ones.
  for (const { path: side, facts } of leftovers) removeIfSame(side, facts);
}

type Facts = BigIntStats | "unknown" | undefined;

/** Returns the facts of a file; undefined if it is absent, and `unknown` if the system does not say. */
function look(path: string): Facts {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : "unknown";
  }
}

function isSame(one: Facts, other: Facts): boolean {
  if (typeof one !== "object" || typeof other !== "object") return false;
  return one.dev === other.dev && one.ino === other.ino;
}

function removeIfSame(path: string, facts: Facts): void {
  const now = look(path);
  // The number of a deleted file is used again, so the time of its creation counts too.
  if (typeof now !== "object" || typeof facts !== "object") return;
  if (!isSame(now, facts) || now.birthtimeNs !== facts.birthtimeNs) return;
  rmSync(path, { force: true });
}
