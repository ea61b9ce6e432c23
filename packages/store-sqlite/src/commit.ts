import {
  checkFollows,
  checkRepeated,
  checkSameVersion,
  checkWrites,
  type Clock,
  type CommitOptions,
  type CommitResult,
  type CommittedVersion,
  nextPoint,
  type ObjectId,
  type ObjectWrite,
  type PresentVersion,
  requestDigest,
  stageCommit,
  type StoredVersion,
  type VersionPoint,
} from "@self-context-manager/objects";

import type { Connection, TransactionKind } from "./connection.ts";
import type { Head, Heads } from "./head.ts";
import { hexOf, number, pointOf, type VersionReader } from "./version-rows.ts";
import { type Change, indexChanges, writeVersion } from "./version-writer.ts";

export interface Transactions {
  commit(writes: readonly ObjectWrite[], options: CommitOptions): CommitResult;
  restore(versions: readonly StoredVersion[]): { readonly added: number };
}

/** Returns the write operations of the store. Each call is one database transaction. */
export function transactions(
  connection: Connection,
  heads: Heads,
  reader: VersionReader,
  clock: Clock,
): Transactions {
  /** Whether the last commit did not wait for the disk, so that the next one has to. */
  let isOwed = false;

  /** Runs `run` and updates the indexes in one transaction. After the commit, the new heads are cached. */
  function inTransaction<Result>(
    kind: TransactionKind,
    run: (write: (stored: StoredVersion) => void, known: HeadOf) => Result,
  ): Result {
    const changes = new Map<ObjectId, Change>();
    const known: HeadOf = (id) => changes.get(id)?.after ?? reader.head(id);
    const result = connection.transaction(kind, () => {
      const answer = run((stored) => {
        const { id } = stored.body;
        const before = known(id);
        const first = changes.get(id);
        const after = writeVersion(connection, before, stored);
        changes.set(id, { before: first === undefined ? before : first.before, after });
      }, known);
      indexChanges(connection, [...changes.values()]);
      // A commit without a change would not wait for the disk.
      if (isOwed && kind === "write" && changes.size === 0) writeClock(connection);
      return answer;
    });
    if (kind === "write") isOwed = false;
    else if (changes.size > 0) isOwed = true;
    for (const { after } of changes.values()) heads.set(after.stored.body.id, after);
    return result;
  }

  return {
    commit: (writes, { requestId, isFollowed }) =>
      inTransaction(isFollowed === true ? "unsynced-write" : "write", (write, known) => {
        checkWrites(writes);
        const digest = requestId === undefined ? undefined : requestDigest(writes);
        const earlier =
          requestId === undefined ? undefined : earlierOutcome(connection, requestId, digest);
        if (earlier !== undefined) return { versions: earlier, replayed: true };

        const at = nextPoint(lastPoint(connection), clock);
        const { staged, versions } = stageCommit(writes, (id) => known(id)?.stored, at);
        for (const stored of staged) write(stored);
        if (staged.length > 0) setClock(connection, at.tx_id, Date.parse(at.tx_time));
        if (requestId !== undefined && digest !== undefined) {
          connection.run(
            "INSERT INTO requests (id, digest, outcome) VALUES (?, ?, ?)",
            requestId,
            digest,
            JSON.stringify(versions),
          );
        }
        return { versions, replayed: false };
      }),

    restore: (versions) =>
      inTransaction("write", (write, known) => {
        const last = readClock(connection);
        let added = 0;
        for (const restored of versions) {
          const latest = known(restored.body.id);
          if (latest !== undefined && restored.version <= latest.stored.version) {
            checkSameVersion(presentVersion(connection, latest.key, restored.version), restored);
            continue;
          }
          checkFollows(latest?.stored, restored);
          write(Object.freeze({ ...restored }));
          last.txId = Math.max(last.txId, restored.at.tx_id);
          last.time = Math.max(last.time, Date.parse(restored.at.tx_time));
          added += 1;
        }
        if (added > 0) setClock(connection, last.txId, last.time);
        return { added };
      }),
  };
}

type HeadOf = (id: ObjectId) => Head | undefined;

function earlierOutcome(
  connection: Connection,
  requestId: string,
  digest: string | undefined,
): readonly CommittedVersion[] | undefined {
  const row = connection.first("SELECT digest, outcome FROM requests WHERE id = ?", requestId);
  if (row === undefined) return undefined;
  checkRepeated(requestId, String(row["digest"]), digest);
  return JSON.parse(String(row["outcome"])) as readonly CommittedVersion[];
}

function lastPoint(connection: Connection): VersionPoint {
  const { txId, time } = readClock(connection);
  return { tx_id: txId, tx_time: new Date(time).toISOString() };
}

function readClock(connection: Connection): { txId: number; time: number } {
  const row = connection.first("SELECT tx_id, tx_time FROM clock WHERE one = 1") ?? {};
  return { txId: number(row, "tx_id"), time: number(row, "tx_time") };
}

function setClock(connection: Connection, txId: number, time: number): void {
  connection.run("UPDATE clock SET tx_id = ?, tx_time = ? WHERE one = 1", txId, time);
}

/** Replaces the clock's row by an equal one, because SQLite writes nothing for an update without a change. */
function writeClock(connection: Connection): void {
  const { txId, time } = readClock(connection);
  connection.run("DELETE FROM clock WHERE one = 1");
  connection.run("INSERT INTO clock (one, tx_id, tx_time) VALUES (1, ?, ?)", txId, time);
}

function presentVersion(
  connection: Connection,
  key: number,
  version: number,
): PresentVersion | undefined {
  const row = connection.first(
    "SELECT tx_id, tx_time, object_hash FROM versions WHERE object = ? AND version = ?",
    key,
    version,
  );
  return row && { at: pointOf(row), hashes: { object_hash: hexOf(row["object_hash"]) } };
}
