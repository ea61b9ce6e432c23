import {
  type Changes,
  checkFollows,
  checkLimit,
  checkWrites,
  type Clock,
  collectReferences,
  type CommitOptions,
  type CommitResult,
  type CommittedVersion,
  compareText,
  fieldConditions,
  type FindQuery,
  type HistoryOptions,
  meetsCondition,
  metadataOf,
  normalTime,
  type ObjectId,
  type ObjectStore,
  type ObjectWrite,
  type Page,
  type Referrer,
  type ReferrersOptions,
  requestDigest,
  StoreError,
  type StoredMetadata,
  type StoredVersion,
  type VersionPoint,
  type VersionSelector,
} from "@self-context-manager/objects";

import { type Nicknames, nicknamesAfter } from "./nicknames.ts";

export interface MemoryStoreOptions {
  /** The system's clock unless told. */
  readonly clock?: Clock;
}

/** Keeps objects while the process lives: the reference that the other stores are compared with. */
export function memoryStore(options: MemoryStoreOptions = {}): ObjectStore {
  const clock = options.clock ?? { now: () => Date.now() };
  const histories = new Map<ObjectId, StoredVersion[]>();
  const arrivals: StoredVersion[] = [];
  const requests = new Map<
    string,
    { readonly digest: string; readonly versions: readonly CommittedVersion[] }
  >();
  let last: VersionPoint = { tx_id: 0, tx_time: new Date(0).toISOString() };
  let nicknames: Nicknames = new Map();
  let closed = false;

  function checkOpen(): void {
    if (closed) throw new StoreError("STORE_CLOSED", "the memory store is closed; open another");
  }

  function head(id: ObjectId): StoredVersion | undefined {
    return histories.get(id)?.at(-1);
  }

  function isKnown(id: string): boolean {
    return histories.has(id as ObjectId);
  }

  function add(versions: readonly StoredVersion[]): void {
    for (const stored of versions) {
      const history = histories.get(stored.body.id) ?? [];
      history.push(stored);
      histories.set(stored.body.id, history);
      arrivals.push(stored);
    }
  }

  return {
    name: "memory",
    supports: { durable: false, shared: false },

    async commit(
      writes: readonly ObjectWrite[],
      { requestId }: CommitOptions = {},
    ): Promise<CommitResult> {
      checkOpen();
      checkWrites(writes);
      const digest = requestDigest(writes);
      const earlier = requestId === undefined ? undefined : requests.get(requestId);
      if (earlier !== undefined) {
        if (earlier.digest === digest) return { versions: earlier.versions, replayed: true };
        throw new StoreError(
          "REQUEST_CONFLICT",
          `request ${requestId} was made before, with other writes`,
        );
      }

      const at: VersionPoint = Object.freeze({
        tx_id: last.tx_id + 1,
        tx_time: laterTime(new Date(clock.now()).toISOString(), last.tx_time),
      });
      const staged: StoredVersion[] = [];
      const outcome = writes.map(({ object, expect }): CommittedVersion => {
        const { id } = object.body;
        const latest = head(id);
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
      const names = nicknamesAfter(nicknames, staged, isKnown);

      nicknames = names;
      add(staged.sort((one, other) => compareText(one.body.id, other.body.id)));
      if (staged.length > 0) last = at;
      if (requestId !== undefined) requests.set(requestId, { digest, versions: outcome });
      return { versions: outcome, replayed: false };
    },

    async get(id: ObjectId, at?: VersionSelector): Promise<StoredVersion | undefined> {
      checkOpen();
      return at === undefined ? head(id) : histories.get(id)?.findLast(matching(at));
    },

    async getMany(ids: readonly ObjectId[]): Promise<readonly (StoredVersion | undefined)[]> {
      checkOpen();
      return ids.map(head);
    },

    async describe(ids: readonly ObjectId[]): Promise<readonly (StoredMetadata | undefined)[]> {
      checkOpen();
      return ids.map((id) => {
        const latest = head(id);
        return latest === undefined ? undefined : withoutBulk(latest);
      });
    },

    async history(
      id: ObjectId,
      { after = 0, limit }: HistoryOptions = {},
    ): Promise<readonly StoredMetadata[]> {
      checkOpen();
      const end = limit === undefined ? undefined : after + checkLimit(limit);
      return (histories.get(id) ?? []).slice(after, end).map(withoutBulk);
    },

    async find(query: FindQuery): Promise<Page<StoredMetadata>> {
      checkOpen();
      const conditions = fieldConditions(query);
      const ordered = [...histories.values()].map((history, index) => ({
        place: index + 1,
        latest: history.at(-1) as StoredVersion,
      }));
      if (query.newestFirst === true) ordered.reverse();
      const after = query.after === undefined ? undefined : readPlace(query.after);
      const found = ordered.filter(
        ({ place, latest }) =>
          (after === undefined || (query.newestFirst === true ? place < after : place > after)) &&
          latest.body.id.startsWith(query.idPrefix ?? "") &&
          conditions.every((condition) => meetsCondition(latest.body, condition)),
      );
      const shown = found.slice(0, checkLimit(query.limit ?? 100));
      const items = shown.map(({ latest }) => withoutBulk(latest));
      return shown.length < found.length ? { items, next: String(shown.at(-1)?.place) } : { items };
    },

    async lookup(nickname: string): Promise<StoredMetadata | undefined> {
      checkOpen();
      const owner = nicknames.get(nickname);
      const latest = owner === undefined ? undefined : head(owner);
      return latest === undefined ? undefined : withoutBulk(latest);
    },

    async referrers(
      id: ObjectId,
      { kind, limit = 100, after }: ReferrersOptions = {},
    ): Promise<Page<Referrer>> {
      checkOpen();
      const start = after === undefined ? undefined : readCursor(after);
      const found = [...histories.values()].flatMap((history, index) => {
        const holder = history.at(-1) as StoredVersion;
        return collectReferences(holder.body)
          .filter(
            ({ reference }) =>
              reference.id === id && (kind === undefined || reference.ref === kind),
          )
          .sort((one, other) => compareText(one.path, other.path))
          .map((located) => ({ place: index + 1, referrer: { id: holder.body.id, ...located } }))
          .filter(
            ({ place, referrer }) => start === undefined || follows(place, referrer.path, start),
          );
      });
      const shown = found.slice(0, checkLimit(limit));
      const items = shown.map(({ referrer }) => referrer);
      const last = shown.at(-1);
      return shown.length < found.length && last !== undefined
        ? { items, next: JSON.stringify([last.place, last.referrer.path]) }
        : { items };
    },

    async changesSince(
      position = "0",
      { limit }: { readonly limit?: number } = {},
    ): Promise<Changes> {
      checkOpen();
      const start = readPlace(position);
      const versions = arrivals.slice(
        start,
        limit === undefined ? undefined : start + checkLimit(limit),
      );
      return {
        versions: versions.map(withoutBulk),
        position: versions.length === 0 ? position : String(start + versions.length),
      };
    },

    async restore(versions: readonly StoredVersion[]): Promise<{ readonly added: number }> {
      checkOpen();
      const staged: StoredVersion[] = [];
      const heads = new Map<ObjectId, StoredVersion>();
      for (const stored of versions) {
        const { id } = stored.body;
        const present =
          histories.get(id)?.[stored.version - 1] ??
          staged.find((other) => other.body.id === id && other.version === stored.version);
        if (present !== undefined) {
          checkSame(present, stored);
          continue;
        }
        checkFollows(heads.get(id) ?? head(id), stored);
        heads.set(id, stored);
        staged.push(Object.freeze({ ...stored }));
      }
      const names = nicknamesAfter(nicknames, [...heads.values()], isKnown);

      nicknames = names;
      add(staged);
      for (const { at } of staged) {
        last = {
          tx_id: Math.max(last.tx_id, at.tx_id),
          tx_time: laterTime(last.tx_time, at.tx_time),
        };
      }
      return { added: staged.length };
    },

    async [Symbol.asyncDispose](): Promise<void> {
      closed = true;
    },
  };
}

function laterTime(one: string, other: string): string {
  return one > other ? one : other;
}

function matching(at: VersionSelector): (stored: StoredVersion) => boolean {
  if ("version" in at) return (stored) => stored.version === at.version;
  if ("txId" in at) return (stored) => stored.at.tx_id <= at.txId;
  if ("contentHash" in at) return (stored) => stored.hashes.content_hash === at.contentHash;
  const time = normalTime(at.txTime);
  return (stored) => stored.at.tx_time <= time;
}

function withoutBulk(stored: StoredVersion): StoredMetadata {
  return { ...stored, body: metadataOf(stored.body) };
}

function readPlace(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new RangeError(`${JSON.stringify(text)} is no position of this store`);
  return Number(text);
}

function follows(place: number, path: string, cursor: readonly [number, string]): boolean {
  return place > cursor[0] || (place === cursor[0] && compareText(path, cursor[1]) > 0);
}

function readCursor(text: string): readonly [number, string] {
  const parsed: unknown = JSON.parse(text);
  if (Array.isArray(parsed) && typeof parsed[0] === "number" && typeof parsed[1] === "string") {
    return [parsed[0], parsed[1]];
  }
  throw new RangeError(`${JSON.stringify(text)} is no position of this store`);
}

function checkSame(present: StoredVersion, told: StoredVersion): void {
  const same =
    present.hashes.object_hash === told.hashes.object_hash &&
    present.at.tx_id === told.at.tx_id &&
    present.at.tx_time === told.at.tx_time;
  if (!same) {
    throw new StoreError(
      "HISTORY_CONFLICT",
      `object ${told.body.id} has another version ${told.version} here`,
    );
  }
}
