import {
  checkFollows,
  checkGeneration,
  checkRepeated,
  checkSameVersion,
  checkWrites,
  type Clock,
  type CommitOptions,
  type CommitResult,
  type CommittedVersion,
  laterPoint,
  type ObjectId,
  type ObjectWrite,
  type PresentVersion,
  requestDigest,
  type RestoreOptions,
  stageCommit,
  type StoredVersion,
} from "@self-context-manager/objects";

import { type StoreClock, writeClock } from "./clock-row.ts";
import type { Connection, TransactionKind } from "./connection.ts";
import type { Head, Heads } from "./head.ts";
import type { KeptState } from "./kept-state.ts";
import { readPrivacy } from "./privacy-rows.ts";
import { sumOf } from "./row-sums.ts";
import { DamageError } from "./sqlite-errors.ts";
import { versionColumns, type VersionReader } from "./version-rows.ts";
import { type Change, indexChanges, writeVersion } from "./version-writer.ts";

export interface Transactions {
  commit(writes: readonly ObjectWrite[], options: CommitOptions): CommitResult;
  restore(
    versions: readonly StoredVersion[],
    options: RestoreOptions | undefined,
  ): { readonly added: number };
}

/** Returns the write operations of the store. Each call is one database transaction. */
export function transactions(
  connection: Connection,
  heads: Heads,
  reader: VersionReader,
  clock: Clock,
  kept: KeptState,
): Transactions {
  /** Whether the last commit did not wait for the disk, so that the next one has to. */
  let isOwed = false;

  /** Runs `run` and updates the indexes in one transaction. After the commit, the new heads are cached. */
  function inTransaction<Result>(
    kind: TransactionKind,
    run: (write: Write, known: HeadOf) => Result,
  ): Result {
    const changes = new Map<ObjectId, Change>();
    let clockAfter: StoreClock | undefined;
    // The write lock is held, so an object that was looked up stays as it is until this transaction changes it.
    const found = new Map<ObjectId, Head | undefined>();
    const known: HeadOf = (id) => {
      const changed = changes.get(id);
      if (changed !== undefined) return changed.after;
      if (!found.has(id)) found.set(id, reader.head(id));
      return found.get(id);
    };
    const result = connection.transaction(kind, () => {
      kept.check();
      const write: Write = {
        version(stored) {
          const { id } = stored.body;
          const before = known(id);
          const first = changes.get(id);
          const after = writeVersion(connection, before, stored);
          changes.set(id, { before: first === undefined ? before : first.before, after });
        },
        clock(after) {
          writeClock(connection, after);
          clockAfter = after;
        },
      };
      const answer = run(write, known);
      indexChanges(connection, [...changes.values()]);
      // A commit without a change would not wait for the disk.
      if (isOwed && kind === "write" && changes.size === 0) writeClock(connection, kept.clock());
      return answer;
    });
    if (clockAfter !== undefined) kept.setClock(clockAfter);
    if (kind === "write") isOwed = false;
    else if (changes.size > 0) isOwed = true;
    for (const { after } of changes.values()) heads.set(after.stored.body.id, after);
    return result;
  }

  return {
    commit: (writes, { requestId, isFollowed, generation, next }) =>
      inTransaction(isFollowed === true ? "unsynced-write" : "write", (write, known) => {
        checkWrites(writes, { requestId, next });
        if (generation !== undefined)
          checkGeneration(generation, readPrivacy(connection).generation);
        const digest = requestId === undefined ? undefined : requestDigest(writes);
        const earlier =
          requestId === undefined ? undefined : earlierOutcome(connection, requestId, digest);
        if (earlier !== undefined) return { versions: earlier, replayed: true };

        const before = kept.clock();
        const time = { last: before.at, clock };
        const { staged, versions, at } = stageCommit(writes, (id) => known(id)?.stored, time, next);
        for (const stored of staged) write.version(stored);
        if (staged.length > 0) write.clock({ at, versions: before.versions + staged.length });
        if (requestId !== undefined && digest !== undefined) {
          const outcome = JSON.stringify(versions);
          connection.run(
            "INSERT INTO requests (id, digest, outcome, sum) VALUES (?, ?, ?, ?)",
            requestId,
            digest,
            outcome,
            sumOf(requestId, digest, outcome),
          );
        }
        return { versions, replayed: false };
      }),

    restore: (versions, options) =>
      inTransaction("write", (write, known) => {
        const before = kept.clock();
        let { at } = before;
        let added = 0;
        for (const restored of versions) {
          const latest = known(restored.body.id);
          const present =
            latest !== undefined && restored.version <= latest.stored.version
              ? presentVersion(connection, reader, latest, restored)
              : undefined;
          if (present !== undefined) {
            checkSameVersion(present, restored);
            continue;
          }
          checkFollows(latest?.stored, restored, options);
          write.version(Object.freeze({ ...restored }));
          at = laterPoint(at, restored.at);
          added += 1;
        }
        if (added > 0) write.clock({ at, versions: before.versions + added });
        return { added };
      }),
  };
}

/** Writes rows of a transaction. */
interface Write {
  version(stored: StoredVersion): void;
  clock(after: StoreClock): void;
}

type HeadOf = (id: ObjectId) => Head | undefined;

function earlierOutcome(
  connection: Connection,
  requestId: string,
  digest: string | undefined,
): readonly CommittedVersion[] | undefined {
  const row = connection.first("SELECT digest, outcome, sum FROM requests WHERE id = ?", requestId);
  if (row === undefined) return undefined;
  const [stored, outcome] = [String(row["digest"]), String(row["outcome"])];
  if (sumOf(requestId, stored, outcome) !== row["sum"])
    throw new DamageError("the outcome of a repeated request is not as it was stored");
  checkRepeated(requestId, stored, digest);
  return JSON.parse(outcome) as readonly CommittedVersion[];
}

/** Returns a version that is not newer than the latest one; undefined if the store lacks it. */
function presentVersion(
  connection: Connection,
  reader: VersionReader,
  { key }: Head,
  { version }: StoredVersion,
): PresentVersion | undefined {
  const row = connection.first(
    `SELECT ${versionColumns} FROM versions v WHERE v.object = ? AND v.version = ?`,
    key,
    version,
  );
  return row && reader.metadata(row);
}
