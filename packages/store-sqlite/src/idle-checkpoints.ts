import type { Connection } from "./connection.ts";

/** Moves the write-ahead log into the database file while no caller waits. */
export interface IdleCheckpoints {
  /** Counts a commit, and schedules a checkpoint when there are enough. */
  noteCommit(): void;
  stop(): void;
}

/**
 * Number of commits between two checkpoints. A model call makes two commits of about 30 kB each. After a checkpoint the
 * log is overwritten from its start, and the disk completes that sooner than a write that makes the file longer. SQLite
 * makes its own checkpoint, within a commit, only if the event loop was blocked for a long time.
 */
const commitsBetween = 64;

/** Returns the checkpoints of a connection. Each runs in a turn of the event loop after a commit. */
export function idleCheckpoints(connection: Connection): IdleCheckpoints {
  let commits = 0;
  let due: NodeJS.Immediate | undefined;

  function checkpoint(): void {
    due = undefined;
    commits = 0;
    try {
      connection.execute("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      // The commits are safe in the log. A later checkpoint, or SQLite's own, moves them.
    }
  }

  return {
    noteCommit() {
      commits += 1;
      if (commits < commitsBetween || due !== undefined) return;
      due = setImmediate(checkpoint);
      // A process without other work may end: closing the store makes a checkpoint too.
      due.unref();
    },
    stop() {
      if (due !== undefined) clearImmediate(due);
    },
  };
}
