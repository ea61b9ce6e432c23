import { StoreError } from "../errors.ts";
import type { ObjectId } from "../model/object-id.ts";
import type { StoredVersion, VersionPoint } from "../model/stored-version.ts";
import type { Clock } from "../ports/clock.ts";
import type { CommitOptions, CommittedVersion, ObjectWrite } from "../ports/object-store.ts";
import { checkWrites, compareText } from "./store-rules.ts";
import { isTransactionTime, mayFollow, timeOf } from "./transaction-time.ts";

/** The effect of a commit, worked out before anything is written. */
export interface StagedCommit {
  /** The new versions: those of the first transaction in the order of their ids, then those of `next`. */
  readonly staged: readonly StoredVersion[];
  /** The answer for each write, in the order of the writes. */
  readonly versions: readonly CommittedVersion[];
  /** The point of the last transaction. */
  readonly at: VersionPoint;
  /** The point of the first transaction, if both it and that of `next` add versions. */
  readonly before: VersionPoint | undefined;
}

/** The point of the last transaction, and the clock that gives the next one its time. */
export interface CommitTime {
  readonly last: VersionPoint;
  readonly clock: Clock;
}

/**
 * Works out the versions that a commit adds, with those of the transaction that `next` returns. Throws `TypeError` if an object
 * is in both.
 */
export function stageCommit(
  writes: readonly ObjectWrite[],
  latestOf: (id: ObjectId) => StoredVersion | undefined,
  { last, clock }: CommitTime,
  next?: CommitOptions["next"],
): StagedCommit {
  const first = stageTransaction(writes, latestOf, { last, clock });
  if (next === undefined) return { ...first, before: undefined };
  const writesAfter = next(first.versions);
  checkWrites([...writes, ...writesAfter]);
  const isFirst = first.staged.length > 0;
  const later = { last: isFirst ? first.at : last, clock };
  const second = stageTransaction(writesAfter, latestOf, later);
  const isSecond = second.staged.length > 0;
  return {
    staged: [...first.staged, ...second.staged],
    versions: [...first.versions, ...second.versions],
    at: isSecond ? second.at : first.at,
    before: isFirst && isSecond ? first.at : undefined,
  };
}

/**
 * Works out the versions that one transaction adds. A write that equals the latest version adds none (decision D21). Throws
 * `VERSION_CONFLICT` where an object is at another version than its write expects.
 */
function stageTransaction(
  writes: readonly ObjectWrite[],
  latestOf: (id: ObjectId) => StoredVersion | undefined,
  { last, clock }: CommitTime,
): Omit<StagedCommit, "before"> {
  const former = writes.flatMap(({ object }) => latestOf(object.body.id)?.at ?? []);
  const at = nextPoint(last, former, clock);
  const staged: StoredVersion[] = [];
  const versions = writes.map(({ object, expect }): CommittedVersion => {
    const { id } = object.body;
    const latest = latestOf(id);
    const version = latest?.version ?? 0;
    if (expect !== undefined && expect !== version) {
      throw new StoreError(
        "VERSION_CONFLICT",
        `object ${id} is at version ${version}, not ${expect}`,
      );
    }
    if (latest !== undefined && latest.hashes.object_hash === object.hashes.object_hash) {
      return { id, version, at: latest.at, changed: false };
    }
    staged.push(
      Object.freeze({ body: object.body, hashes: object.hashes, version: version + 1, at }),
    );
    return { id, version: version + 1, at, changed: true };
  });
  staged.sort((one, other) => compareText(one.body.id, other.body.id));
  return { staged, versions, at };
}

/**
 * The point of the next transaction, at the time of the clock. If the clock is behind by at most a day, the time of the
 * last transaction is kept, and that of the latest version of each written object. A clock that is further behind is
 * followed, because the time before it was wrong. A clock outside the years 1970 to 2200 is not.
 */
function nextPoint(
  last: VersionPoint,
  former: readonly VersionPoint[],
  clock: Clock,
): VersionPoint {
  const now = Math.trunc(clock.now());
  let time = isTransactionTime(now) ? now : timeOf(last);
  const earlier = [last, ...former].map(timeOf).sort((one, other) => one - other);
  for (const one of earlier) if (!mayFollow(one, time)) time = one;
  return Object.freeze({ tx_id: last.tx_id + 1, tx_time: new Date(time).toISOString() });
}
