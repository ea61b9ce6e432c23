import {
  addForgotten,
  type Changes,
  type ChangesOptions,
  changesPosition,
  checkFollows,
  checkGeneration,
  checkLimit,
  checkNicknames,
  checkRepeated,
  checkSameVersion,
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
  laterPoint,
  meetsCondition,
  metadataOf,
  normalTime,
  type ObjectId,
  type ObjectStore,
  type ObjectWrite,
  type Page,
  readChangesPosition,
  readPlace,
  readReferrerPosition,
  type Referrer,
  type ReferrersOptions,
  requestDigest,
  type RestoreOptions,
  type RewriteRequest,
  type RewriteResult,
  stageCommit,
  StoreError,
  type StoredMetadata,
  type StoredVersion,
  type StorePrivacy,
  timeOf,
  type VersionPoint,
  type VersionSelector,
  versionsInOrder,
  writeReferrerPosition,
} from "@self-context-manager/objects";

import { randomBytes } from "node:crypto";

import { memoryDocumentIndex } from "./memory-document-index.ts";
import { rewriteHistories } from "./rewrite-histories.ts";

export interface MemoryStoreOptions {
  /** The source of transaction times. Default: the system's clock. */
  readonly clock?: Clock;
}

/** Returns a store that keeps objects until the process ends. The other stores are compared with it. */
export function memoryStore(options: MemoryStoreOptions = {}): ObjectStore {
  const clock = options.clock ?? { now: () => Date.now() };
  let histories = new Map<ObjectId, StoredVersion[]>();
  let arrivals: StoredVersion[] = [];
  const requests = new Map<
    string,
    { readonly digest: string; readonly versions: readonly CommittedVersion[] }
  >();
  let last: VersionPoint = { tx_id: 0, tx_time: new Date(0).toISOString() };
  let nicknames = new Map<string, ObjectId>();
  let privacy: StorePrivacy = {
    key: randomBytes(32).toString("hex"),
    generation: 0,
    forgotten: [],
  };
  let closed = false;
  const documents = memoryDocumentIndex(
    checkOpen,
    (position) => readChangesPosition(position, privacy.generation).isRestarted,
  );

  function checkOpen(): void {
    if (closed)
      throw new StoreError("STORE_CLOSED", "the memory store is closed; create a new one");
  }

  function head(id: ObjectId): StoredVersion | undefined {
    return histories.get(id)?.at(-1);
  }

  /** Adds versions. The versions of an object are in ascending order; `latest` contains the last version of each object. */
  function add(versions: readonly StoredVersion[], latest: readonly StoredVersion[]): void {
    const changes = latest.map((after) => ({ before: head(after.body.id), after }));
    checkNicknames(changes, {
      owner: (nickname) => nicknames.get(nickname),
      isObject: (id) => histories.has(id as ObjectId),
    });
    for (const { before } of changes)
      if (before?.body.nickname !== undefined) nicknames.delete(before.body.nickname);
    for (const { body } of latest)
      if (body.nickname !== undefined) nicknames.set(body.nickname, body.id);
    for (const stored of versions) {
      const history = histories.get(stored.body.id) ?? [];
      history.push(stored);
      histories.set(stored.body.id, history);
      arrivals.push(stored);
    }
  }

  function rewrite(request: RewriteRequest): RewriteResult {
    const before = { histories, arrivals, nicknames };
    const { changed, ...rewritten } = rewriteHistories(before, request);
    const removed = arrivals.length - rewritten.arrivals.length;
    ({ histories, arrivals, nicknames } = rewritten);
    documents.clear();
    requests.clear();
    const generation = privacy.generation + 1;
    const forgotten = addForgotten(privacy.forgotten, request.forgotten);
    privacy = { ...privacy, generation, forgotten };
    return { changed, removed, generation };
  }

  return {
    name: "memory",
    supports: { durable: false, shared: false, losable: false, lockable: false },
    documents,

    async commit(
      writes: readonly ObjectWrite[],
      { requestId, generation, next }: CommitOptions = {},
    ): Promise<CommitResult> {
      checkOpen();
      checkWrites(writes, { requestId, next });
      checkGeneration(generation, privacy.generation);
      const digest = requestDigest(writes);
      const earlier = requestId === undefined ? undefined : requests.get(requestId);
      if (earlier !== undefined) {
        checkRepeated(requestId, earlier.digest, digest);
        return { versions: earlier.versions, replayed: true };
      }

      const { staged, versions, at } = stageCommit(writes, head, { last, clock }, next);
      add(staged, staged);
      if (staged.length > 0) last = at;
      if (requestId !== undefined) requests.set(requestId, { digest, versions });
      return { versions, replayed: false };
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
      const end = limit === undefined ? undefined : checkLimit(limit);
      return between(histories.get(id), after + 1, Infinity)
        .slice(0, end)
        .map(withoutBulk);
    },

    versions: (id, range) =>
      versionsInOrder(
        {
          length: 100,
          latest: async () => (checkOpen(), head(id)?.version ?? 0),
          page: async (from, to) => (checkOpen(), between(histories.get(id), from, to)),
          get: async (version) => (checkOpen(), numbered(histories.get(id), version)),
        },
        range,
      ),

    async find(query: FindQuery): Promise<Page<StoredMetadata>> {
      checkOpen();
      return findIn(placed(histories, arrivals, query), query);
    },

    async lookup(nickname: string): Promise<StoredMetadata | undefined> {
      checkOpen();
      const owner = nicknames.get(nickname);
      const latest = owner === undefined ? undefined : head(owner);
      return latest === undefined ? undefined : withoutBulk(latest);
    },

    async referrers(id: ObjectId, options: ReferrersOptions = {}): Promise<Page<Referrer>> {
      checkOpen();
      return referrersIn(histories.values(), id, options);
    },

    async changesSince(position?: string, changes: ChangesOptions = {}): Promise<Changes> {
      checkOpen();
      return changesIn(arrivals, privacy.generation, position, changes);
    },

    async restore(
      versions: readonly StoredVersion[],
      options?: RestoreOptions,
    ): Promise<{ readonly added: number }> {
      checkOpen();
      const { staged, heads } = stageRestored(versions, histories, options);
      add(staged, [...heads.values()]);
      for (const { at } of staged) last = laterPoint(last, at);
      return { added: staged.length };
    },

    async rewrite(request: RewriteRequest): Promise<RewriteResult> {
      checkOpen();
      return rewrite(request);
    },

    async privacy(): Promise<StorePrivacy> {
      checkOpen();
      return privacy;
    },

    async [Symbol.asyncDispose](): Promise<void> {
      closed = true;
    },
  };
}

/** The latest version of an object, with its number in an order. */
interface Placed {
  readonly place: number;
  readonly latest: StoredVersion;
}

/** Returns the latest versions in the order of first commits, or of their own arrival. */
function placed(
  histories: ReadonlyMap<ObjectId, readonly StoredVersion[]>,
  arrivals: readonly StoredVersion[],
  { lastChangedFirst }: FindQuery,
): readonly Placed[] {
  if (lastChangedFirst !== true)
    return [...histories.values()].map((history, index) => ({
      place: index + 1,
      latest: history.at(-1) as StoredVersion,
    }));
  return arrivals.flatMap((latest, index) => {
    const head = histories.get(latest.body.id)?.at(-1);
    return head?.version === latest.version ? [{ place: index + 1, latest }] : [];
  });
}

/** Returns the objects that a query finds in their latest versions. */
function findIn(ascending: readonly Placed[], query: FindQuery): Page<StoredMetadata> {
  const conditions = fieldConditions(query);
  const isReversed = query.newestFirst === true || query.lastChangedFirst === true;
  const ordered = isReversed ? ascending.toReversed() : ascending;
  const after = query.after === undefined ? undefined : readPlace(query.after);
  const found = ordered.filter(
    ({ place, latest }) =>
      (after === undefined || (isReversed ? place < after : place > after)) &&
      latest.body.id.startsWith(query.idPrefix ?? "") &&
      conditions.every((condition) => meetsCondition(latest.body, condition)),
  );
  const shown = found.slice(0, checkLimit(query.limit ?? 100));
  const items = shown.map(({ latest }) => withoutBulk(latest));
  return shown.length < found.length ? { items, next: String(shown.at(-1)?.place) } : { items };
}

/** Returns the versions that arrived after a position. */
function changesIn(
  arrivals: readonly StoredVersion[],
  generation: number,
  position: string | undefined,
  { limit, counts }: ChangesOptions,
): Changes {
  const { place: start, isRestarted } = readChangesPosition(position, generation);
  const end = limit === undefined ? undefined : start + checkLimit(limit);
  const versions = arrivals.slice(start, end);
  return {
    versions: versions.map(withoutBulk),
    position: changesPosition(start + versions.length, generation),
    ...(counts === true ? { left: arrivals.length - start - versions.length } : {}),
    ...(isRestarted ? { restarted: true } : {}),
  };
}

/** Returns the references to an object in latest versions. */
function referrersIn(
  histories: Iterable<readonly StoredVersion[]>,
  id: ObjectId,
  { kind, limit = 100, after }: ReferrersOptions,
): Page<Referrer> {
  const start = after === undefined ? undefined : readReferrerPosition(after);
  const found = [...histories].flatMap((history, index) => {
    const holder = history.at(-1) as StoredVersion;
    return collectReferences(holder.body)
      .filter(
        ({ reference }) => reference.id === id && (kind === undefined || reference.ref === kind),
      )
      .sort((one, other) => compareText(one.path, other.path))
      .map((located) => ({ place: index + 1, referrer: { id: holder.body.id, ...located } }))
      .filter(({ place, referrer }) => start === undefined || follows(place, referrer.path, start));
  });
  const shown = found.slice(0, checkLimit(limit));
  const items = shown.map(({ referrer }) => referrer);
  const last = shown.at(-1);
  return shown.length < found.length && last !== undefined
    ? { items, next: writeReferrerPosition(last.place, last.referrer.path) }
    : { items };
}

/** Returns the versions that are not stored yet, and the last one of each object. Throws `HISTORY_CONFLICT`. */
function stageRestored(
  versions: readonly StoredVersion[],
  histories: ReadonlyMap<ObjectId, readonly StoredVersion[]>,
  options: RestoreOptions | undefined,
): {
  readonly staged: readonly StoredVersion[];
  readonly heads: ReadonlyMap<ObjectId, StoredVersion>;
} {
  const staged: StoredVersion[] = [];
  const heads = new Map<ObjectId, StoredVersion>();
  for (const stored of versions) {
    const { id } = stored.body;
    const present =
      numbered(histories.get(id), stored.version) ??
      staged.find((other) => other.body.id === id && other.version === stored.version);
    if (present !== undefined) {
      checkSameVersion(present, stored);
      continue;
    }
    checkFollows(heads.get(id) ?? histories.get(id)?.at(-1), stored, options);
    heads.set(id, stored);
    staged.push(Object.freeze({ ...stored }));
  }
  return { staged, heads };
}

/** Returns the versions from one number to another, both included. Versions can be missing. */
function between(
  history: readonly StoredVersion[] = [],
  from: number,
  to: number,
): readonly StoredVersion[] {
  const start = placeOf(history, from);
  return history.slice(start, placeOf(history, to + 1));
}

function numbered(
  history: readonly StoredVersion[] = [],
  version: number,
): StoredVersion | undefined {
  const found = history[placeOf(history, version)];
  return found?.version === version ? found : undefined;
}

/** Returns the index of the first version with this number or a greater one. */
function placeOf(history: readonly StoredVersion[], version: number): number {
  const last = history.at(-1)?.version ?? 0;
  if (version > last) return history.length;
  // As many versions as numbers are missing, at most.
  let place = Math.max(0, version - 1 - (last - history.length));
  while ((history[place]?.version ?? version) < version) place += 1;
  return place;
}

function matching(at: VersionSelector): (stored: StoredVersion) => boolean {
  if ("version" in at) return (stored) => stored.version === at.version;
  if ("txId" in at) return (stored) => stored.at.tx_id <= at.txId;
  if ("contentHash" in at) return (stored) => stored.hashes.content_hash === at.contentHash;
  const time = Date.parse(normalTime(at.txTime));
  return (stored) => timeOf(stored.at) <= time;
}

function withoutBulk(stored: StoredVersion): StoredMetadata {
  return { ...stored, body: metadataOf(stored.body) };
}

function follows(place: number, path: string, start: readonly [number, string]): boolean {
  return place > start[0] || (place === start[0] && compareText(path, start[1]) > 0);
}
