import {
  addForgotten,
  checkNicknames,
  type ObjectId,
  type RewriteRequest,
  rewrittenVersion,
  type StoredVersion,
} from "@self-context-manager/objects";

import type { ChunkCollection } from "../xtdb-documents/chunks.ts";
import { pageOperations } from "../xtdb-documents/reference-documents.ts";
import type { KeptPrivacy } from "../xtdb-documents/rewrite-documents.ts";
import type { StoreClock, XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import type { Operation } from "../client/node-client.ts";
import type { Head } from "../reading/head.ts";
import { type ReadVersion, wholeHistory } from "../reading/version-pages.ts";
import type { BasisReader, CommitBasis } from "./commit-basis.ts";
import type { RestoreParts } from "./restore.ts";
import { nicknameOperation, versionDocuments } from "./write-plan.ts";
import type { VersionReader } from "../reading/version-reader.ts";

export type RewritePlanParts = Pick<RestoreParts, "client" | "names" | "chunks" | "past"> & {
  readonly reader: VersionReader;
  readonly bases: BasisReader;
};

/** The transactions of a rewrite that depend on its objects alone. */
export interface RewritePlan {
  /** The transactions. Each takes effect once and in this order. */
  readonly steps: readonly (readonly Operation[])[];
  /** The objects of the request that the plan depends on. */
  readonly ids: ReadonlySet<ObjectId>;
  /** The number of versions that the store had before they were read. */
  readonly arrivals: number;
  readonly affected: readonly Affected[];
  /** The long texts that only the versions before the rewrite name. */
  readonly leftChunks: readonly string[];
  readonly changed: number;
  readonly removed: number;
}

/** The part of a rewrite that depends on other objects too. */
export interface RewriteEnd {
  /** Transactions that come before those of the plan. */
  readonly steps: readonly (readonly Operation[])[];
  /** The operations of the last transaction of all. */
  readonly last: readonly Operation[];
}

/** An object whose documents are evicted, with its versions before and after the rewrite. */
interface Affected {
  readonly id: ObjectId;
  readonly former: readonly ReadVersion[];
  /** None if the object is removed. */
  readonly latter: readonly StoredVersion[];
}

/** Most evictions and most small documents of one transaction. */
const operationsAtOnce = 500;

/** Characters of documents after which a transaction is full. */
const fullTransaction = 200_000;

/**
 * Prepares a rewrite on the state after a commit. Throws what `change` throws, and `TypeError` for a changed id.
 *
 * All documents of an object are evicted and its versions are put again, each in a transaction of its own, because a
 * version is the state of the object's document as of the transaction that wrote the version's own document. Every new
 * document has the generation: XTDB destroys one that is equal to an evicted one when it builds its index again.
 */
export async function planRewrite(
  request: RewriteRequest,
  clock: StoreClock,
  parts: RewritePlanParts,
): Promise<RewritePlan> {
  const { names } = parts;
  const { affected, changed } = await affectedBy(request, parts);
  const generation = clock.generation + 1;
  const formerChunks = new Set(
    affected.flatMap(({ former }) => former.flatMap(({ document }) => document.chunks)),
  );
  const chunks = parts.chunks.collectAll(generation, formerChunks);
  const rewritten = affected.filter(({ latter }) => latter.length > 0);
  const { steps: puts, used } = putSteps(rewritten, generation, chunks, names);
  const evicted = affected.flatMap((one) => documentsOf(one, names));
  const arrivals = affected
    .filter(({ latter }) => latter.length === 0)
    .flatMap(({ former }) => former.map(({ document }) => document.arrival));
  const markers = arrivals.map((arrival) => names.rewrites.removed(arrival, generation));
  return {
    steps: [
      ...inParts(evicted.map((id): Operation => ["evict", id])),
      ...puts,
      ...inParts(markers.map((document): Operation => ["put", document])),
    ],
    ids: new Set([...request.objects, ...(request.remove ?? [])]),
    arrivals: clock.arrivals,
    affected,
    leftChunks: [...formerChunks].filter((hash) => !used.has(hash)),
    changed,
    removed: arrivals.length,
  };
}

/** Whether a plan still holds after later commits: none of them wrote a version of its objects. */
export async function stillHolds(
  { ids, arrivals }: RewritePlan,
  clock: StoreClock,
  { client, names }: RewritePlanParts,
): Promise<boolean> {
  if (clock.arrivals === arrivals) return true;
  const rows = await client.query(
    `{:find [o] :in [a b] :where [[v :${names.attribute("arrival")} n] [(> n a)] [(<= n b)] [v :${names.attribute("of")} o]]}`,
    [arrivals, clock.arrivals],
    client.budget(),
  );
  return rows.every(([documentId]) => !ids.has(names.idOf(String(documentId))));
}

/**
 * Prepares the end of a rewrite on the state after a commit; undefined if another commit followed in the meantime. Throws
 * `NICKNAME_TAKEN`.
 */
export async function planEnd(
  { affected, leftChunks }: RewritePlan,
  forgotten: RewriteRequest["forgotten"],
  privacy: KeptPrivacy,
  clock: StoreClock,
  parts: RewritePlanParts,
): Promise<RewriteEnd | undefined> {
  const { names } = parts;
  const generation = clock.generation + 1;
  const basis = await basisOf(affected, parts);
  if (basis.clock.seq !== clock.seq) return undefined;
  checkNames(affected, basis);
  const nicknames = await nicknameChanges(affected, basis, generation, parts);
  const evicted = [
    names.index.stateId,
    ...nicknames.evicted,
    ...(await unusedChunks(leftChunks, affected, parts)),
  ];
  const { key } = privacy;
  const kept = { key, forgotten: addForgotten(privacy.forgotten, forgotten) };
  return {
    steps: inParts(evicted.map((id): Operation => ["evict", id])),
    last: [
      ...affected.flatMap(({ latter }) => {
        const head = latter.at(-1);
        return head === undefined ? [] : pageOperations(undefined, head.body, names, generation);
      }),
      ...nicknames.operations,
      ["put", names.rewrites.privacy(kept)],
    ],
  };
}

/** Reads the objects of a request. Those of which no version changes stay as they are. */
async function affectedBy(
  request: RewriteRequest,
  parts: RewritePlanParts,
): Promise<{ readonly affected: readonly Affected[]; readonly changed: number }> {
  const affected: Affected[] = [];
  let changed = 0;
  const removed = new Set(request.remove);
  for (const id of removed) {
    const former = await wholeHistory(id, parts);
    if (former.length > 0) affected.push({ id, former, latter: [] });
  }
  for (const id of new Set(request.objects)) {
    if (removed.has(id)) continue;
    const former = await wholeHistory(id, parts);
    const latter = former.map(({ stored }) =>
      rewrittenVersion(stored, (one) => request.change(one)),
    );
    const count = latter.filter((stored, index) => stored !== former[index]?.stored).length;
    changed += count;
    if (count > 0) affected.push({ id, former, latter });
  }
  return { affected, changed };
}

/** Reads the owners of all nicknames that the objects have in any version, before or after the rewrite. */
async function basisOf(
  affected: readonly Affected[],
  { client, bases }: RewritePlanParts,
): Promise<CommitBasis> {
  const names = affected.flatMap(({ former, latter }) => [
    ...former.map(({ stored }) => stored.body.nickname),
    ...latter.map(({ body }) => body.nickname),
  ]);
  const nicknames = [...new Set(names.flatMap((nickname) => nickname ?? []))];
  return await bases.fresh({ ids: [], nicknames, requestId: undefined }, client.budget());
}

function checkNames(affected: readonly Affected[], basis: CommitBasis): void {
  const gone = new Set<string>(
    affected.filter(({ latter }) => latter.length === 0).map(({ id }) => id),
  );
  checkNicknames(
    affected.flatMap(({ former, latter }) => {
      const after = latter.at(-1);
      return after === undefined ? [] : [{ before: former.at(-1)?.stored, after }];
    }),
    {
      owner(nickname) {
        const owner = basis.owner(nickname);
        return owner !== undefined && gone.has(owner) ? undefined : owner;
      },
      isObject: (id) => basis.isObject(id) && !gone.has(id),
    },
  );
}

/** Returns the ids of all documents that an object has or had, without those that other objects share. */
function documentsOf({ id, former }: Affected, names: XtdbDocuments): readonly string[] {
  const pages = new Set<string>();
  let before: StoredVersion | undefined;
  for (const { stored } of former) {
    for (const operation of pageOperations(before?.body, stored.body, names, 0))
      if (operation[0] === "put") pages.add(operation[1]["xt/id"]);
    before = stored;
  }
  const numbers = former.map(({ stored }) => stored.version);
  return [
    names.objectId(id),
    // A commit of the next version can have failed. XTDB keeps its documents.
    ...[...numbers, (numbers.at(-1) ?? 0) + 1].map((version) => names.versionId(id, version)),
    ...pages,
    names.index.documentId(id),
  ];
}

/** Returns the transactions that put the versions again, and the hashes of the long texts that they name. */
function putSteps(
  rewritten: readonly Affected[],
  generation: number,
  chunks: ChunkCollection,
  names: XtdbDocuments,
): { readonly steps: readonly (readonly Operation[])[]; readonly used: ReadonlySet<string> } {
  const steps: Operation[][] = [];
  const used = new Set<string>();
  const heads = new Map<ObjectId, Omit<Head, "place" | "asOf">>();
  const rounds = Math.max(0, ...rewritten.map(({ latter }) => latter.length));
  for (let round = 0; round < rounds; round += 1) {
    // The versions of a round belong to different objects, so one transaction can have several.
    let size = Number.POSITIVE_INFINITY;
    for (const { id, former, latter } of rewritten) {
      const [stored, before] = [latter[round], former[round]];
      if (stored === undefined || before === undefined) continue;
      const written = chunks.documents().length;
      const arrived = { stored, place: before.place, arrival: before.document.arrival, generation };
      const { documents, ...rest } = versionDocuments(heads.get(id), arrived, names, chunks);
      heads.set(id, { stored, ...rest });
      for (const document of documents)
        for (const hash of (names.read(document, "chunks") ?? []) as readonly string[])
          used.add(hash);
      const put = [...chunks.documents().slice(written), ...documents];
      if (size > fullTransaction) {
        steps.push([]);
        size = 0;
      }
      steps.at(-1)?.push(...put.map((document): Operation => ["put", document]));
      size += JSON.stringify(put).length;
    }
  }
  return { steps, used };
}

interface NicknameChanges {
  /** The ids of documents that are evicted. */
  readonly evicted: readonly string[];
  readonly operations: readonly Operation[];
}

/** Returns what becomes of the nicknames that the objects have or had. */
async function nicknameChanges(
  affected: readonly Affected[],
  basis: CommitBasis,
  generation: number,
  { client, names }: RewritePlanParts,
): Promise<NicknameChanges> {
  const ids = new Set(affected.map(({ id }) => id));
  const former = new Set(
    affected.flatMap((one) => one.former.flatMap(({ stored }) => stored.body.nickname ?? [])),
  );
  const freed = [...former].filter((nickname) => {
    const owner = basis.owner(nickname);
    return owner === undefined || ids.has(owner);
  });
  const owners = new Map<string, ObjectId>();
  // In merged histories, a further object can have a nickname.
  const rows = await client.query(
    `{:find [n o] :in [[n ...]] :where [[o :nickname n] [o :${names.attribute("latest")}]]}`,
    [freed],
    client.budget(),
  );
  for (const [nickname, documentId] of rows) {
    const owner = names.idOf(String(documentId));
    if (!ids.has(owner)) owners.set(String(nickname), owner);
  }
  for (const { id, latter } of affected) {
    const nickname = latter.at(-1)?.body.nickname;
    const owner = nickname === undefined ? undefined : basis.owner(nickname);
    if (nickname !== undefined && (owner === undefined || ids.has(owner))) owners.set(nickname, id);
  }
  return {
    evicted: freed.map((nickname) => names.nicknameId(nickname)),
    operations: [...owners].map(([nickname, owner]) =>
      nicknameOperation(nickname, owner, names, generation),
    ),
  };
}

/** Returns the ids of those long texts that only the affected objects name. */
async function unusedChunks(
  hashes: readonly string[],
  affected: readonly Affected[],
  { client, names }: RewritePlanParts,
): Promise<readonly string[]> {
  const own = new Set(
    affected.flatMap(({ id, former }) =>
      former.map(({ stored }) => names.versionId(id, stored.version)),
    ),
  );
  const unused = new Set(hashes);
  for (let start = 0; start < hashes.length; start += operationsAtOnce) {
    const rows = await client.query(
      `{:find [h d] :in [[h ...]] :where [[d :${names.attribute("chunks")} h]]}`,
      [hashes.slice(start, start + operationsAtOnce)],
      client.budget(),
    );
    for (const [hash, documentId] of rows)
      if (!own.has(String(documentId))) unused.delete(String(hash));
  }
  return [...unused].map((hash) => names.chunkId(hash));
}

function inParts(operations: readonly Operation[]): readonly (readonly Operation[])[] {
  const parts: (readonly Operation[])[] = [];
  for (let start = 0; start < operations.length; start += operationsAtOnce)
    parts.push(operations.slice(start, start + operationsAtOnce));
  return parts;
}
