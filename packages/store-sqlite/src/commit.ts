import {
  checkFollows,
  checkWrites,
  type Clock,
  type CommitOptions,
  type CommitResult,
  type CommittedVersion,
  compareText,
  type ObjectId,
  type ObjectWrite,
  requestDigest,
  StoreError,
  type StoredVersion,
  type VersionPoint,
} from "@self-context-manager/objects";

import type { BodyCache, Head } from "./body-cache.ts";
import type { Connection, TransactionKind } from "./connection.ts";
import { number, type VersionReader } from "./version-rows.ts";
import { type Change, indexChanges, writeVersion } from "./version-writer.ts";

export interface Transactions {
  commit(writes: readonly ObjectWrite[], options: CommitOptions): CommitResult;
  restore(versions: readonly StoredVersion[]): { readonly added: number };
}

/** What writes: each call is one transaction of the database. */
export function transactions(
  connection: Connection,
  heads: BodyCache,
  reader: VersionReader,
  clock: Clock,
): Transactions {
  /** Whether the last commit left it to the next to wait for the disk. */
  let isOwed = false;

  /** Writes versions, the indexes and the clock, and keeps what was written once it is committed. */
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
      // A commit that writes nothing would not wait for the disk.
      if (isOwed && kind === "write" && changes.size === 0) writeClock(connection);
      return answer;
    });
    if (kind === "write") isOwed = false;
    else if (changes.size > 0) isOwed = true;
    for (const { after } of changes.values()) heads.set(after);
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

        const at = nextPoint(connection, clock);
        const staged: StoredVersion[] = [];
        const versions = writes.map((one) => stage(one, known(one.object.body.id), at, staged));
        for (const stored of staged.sort((one, other) => compareText(one.body.id, other.body.id)))
          write(stored);
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
        for (const told of versions) {
          const latest = known(told.body.id);
          if (latest !== undefined && told.version <= latest.stored.version) {
            checkSame(connection, latest.key, told);
            continue;
          }
          checkFollows(latest?.stored, told);
          write(Object.freeze({ ...told }));
          last.txId = Math.max(last.txId, told.at.tx_id);
          last.time = Math.max(last.time, Date.parse(told.at.tx_time));
          added += 1;
        }
        if (added > 0) setClock(connection, last.txId, last.time);
        return { added };
      }),
  };
}

type HeadOf = (id: ObjectId) => Head | undefined;

function stage(
  { object, expect }: ObjectWrite,
  latest: Head | undefined,
  at: VersionPoint,
  staged: StoredVersion[],
): CommittedVersion {
  const { id } = object.body;
  const version = latest?.stored.version ?? 0;
  if (expect !== undefined && expect !== version) {
    throw new StoreError(
      "VERSION_CONFLICT",
      `object ${id} is at version ${version}, not ${expect}`,
    );
  }
  if (latest !== undefined && latest.stored.hashes.object_hash === object.hashes.object_hash) {
    return { id, version, at: latest.stored.at, changed: false };
  }
  staged.push(
    Object.freeze({ body: object.body, hashes: object.hashes, version: version + 1, at }),
  );
  return { id, version: version + 1, at, changed: true };
}

function earlierOutcome(
  connection: Connection,
  requestId: string,
  digest: string | undefined,
): readonly CommittedVersion[] | undefined {
  const row = connection.first("SELECT digest, outcome FROM requests WHERE id = ?", requestId);
  if (row === undefined) return undefined;
  if (row["digest"] !== digest) {
    throw new StoreError(
      "REQUEST_CONFLICT",
      `request ${requestId} was made before, with other writes`,
    );
  }
  return JSON.parse(String(row["outcome"])) as readonly CommittedVersion[];
}

function nextPoint(connection: Connection, clock: Clock): VersionPoint {
  const { txId, time } = readClock(connection);
  const next = Math.max(Math.trunc(clock.now()), time);
  return Object.freeze({ tx_id: txId + 1, tx_time: new Date(next).toISOString() });
}

function readClock(connection: Connection): { txId: number; time: number } {
  const row = connection.first("SELECT tx_id, tx_time FROM clock WHERE one = 1") ?? {};
  return { txId: number(row, "tx_id"), time: number(row, "tx_time") };
}

function setClock(connection: Connection, txId: number, time: number): void {
  connection.run("UPDATE clock SET tx_id = ?, tx_time = ? WHERE one = 1", txId, time);
}

/** Writes the clock's row anew: one that is set to what it is already would not be written. */
function writeClock(connection: Connection): void {
  const { txId, time } = readClock(connection);
  connection.run("DELETE FROM clock WHERE one = 1");
  connection.run("INSERT INTO clock (one, tx_id, tx_time) VALUES (1, ?, ?)", txId, time);
}

function checkSame(connection: Connection, key: number, told: StoredVersion): void {
  const row = connection.first(
    "SELECT tx_id, tx_time, hex(object_hash) AS object_hash FROM versions WHERE object = ? AND version = ?",
    key,
    told.version,
  );
  const same =
    row?.["tx_id"] === told.at.tx_id &&
    row["tx_time"] === Date.parse(told.at.tx_time) &&
    row["object_hash"] === told.hashes.object_hash.toUpperCase();
  if (!same) {
    throw new StoreError(
      "HISTORY_CONFLICT",
      `object ${told.body.id} has another version ${told.version} here`,
    );
  }
}
