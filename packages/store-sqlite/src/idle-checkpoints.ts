import type { Connection } from "./connection.ts";

/** Brings the write-ahead log into the file while nobody waits. */
export interface IdleCheckpoints {
  /** A commit was made. */
  noteCommit(): void;
  stop(): void;
}

/**
 * How many commits are in the log before it is brought into the file: a model call makes two, of some 30 kB each. From
 * then on the log is written over, which the disk has done sooner than what makes a file longer. SQLite does it by
 * itself, inside a commit, only where the event loop has had no turn for long.
 */
const commitsBetween = 64;

/** Looks after the log of a connection, in a turn of the event loop after a commit. */
export function idleCheckpoints(connection: Connection): IdleCheckpoints {
  let commits = 0;
  let due: NodeJS.Immediate | undefined;

  function checkpoint(): void {
    due = undefined;
    commits = 0;
    try {
      connection.execute("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      // What is in the log is safe there; it is tried again, and SQLite does it by itself in the end.
    }
  }

  return {
    noteCommit() {
      commits += 1;
      if (commits < commitsBetween || due !== undefined) return;
      due = setImmediate(checkpoint);
      // A process that has nothing else to do may end; closing the store does the same.
      due.unref();
    },
    stop() {
      if (due !== undefined) clearImmediate(due);
    },
  };
}
