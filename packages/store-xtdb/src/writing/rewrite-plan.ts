import {
  addForgotten,
  checkNicknames,
  type ObjectId,
  type RewriteRequest,
} from "@self-context-manager/objects";

import type { Operation } from "../client/node-client.ts";
import { pageOperations } from "../xtdb-documents/reference-documents.ts";
import type { KeptPrivacy } from "../xtdb-documents/rewrite-documents.ts";
import type { StoreClock } from "../xtdb-documents/xtdb-documents.ts";
import type { BasisReader, CommitBasis } from "./commit-basis.ts";
import { rewriteObject, type RewriteObjectParts, type RewrittenObject } from "./rewrite-object.ts";
import { nicknameOperation } from "./write-plan.ts";

export interface RewritePlanParts extends RewriteObjectParts {
  readonly bases: BasisReader;
}

/** The transactions of a rewrite that depend on its objects alone. */
export interface RewritePlan {
  /** The transactions. Each takes effect once and in this order. */
  readonly steps: readonly (readonly Operation[])[];
  /** The objects of the request that the plan depends on. */
  readonly ids: ReadonlySet<ObjectId>;
  /** The number of versions that the store had before they were read. */
  readonly arrivals: number;
  readonly objects: readonly RewrittenObject[];
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

/** Most evictions and most small documents of one transaction. */
const operationsAtOnce = 500;

/** Characters of documents after which a transaction is full. */
const fullTransaction = 200_000;

/**
 * Prepares a rewrite on the state after a commit. Throws what `change` throws, and `TypeError` for a changed id.
 *
 * All documents of an object are evicted and its versions are put again, each in a transaction of its own, because a
 * version is the state of the object's document as of the transaction that wrote the version's own document. Every new
 * document has the generation: XTDB destroys one that is equal to an evicted one when it builds its index again. An object
 * of which no version changes stays as it is.
 */
export async function planRewrite(
  request: RewriteRequest,
  clock: StoreClock,
  parts: RewritePlanParts,
): Promise<RewritePlan> {
  const { names } = parts;
  const generation = clock.generation + 1;
  const remove = new Set(request.remove);
  const found: RewrittenObject[] = [];
  for (const id of new Set([...remove, ...request.objects])) {
    const change: RewriteRequest["change"] = (stored) => request.change(stored);
    const one = await rewriteObject(id, remove.has(id) ? undefined : change, generation, parts);
    if (one !== undefined && (one.after === undefined || one.changed > 0)) found.push(one);
  }
  const evicted = found.flatMap(({ documentIds }) => [...documentIds]);
  const arrivals = found.flatMap((one) => (one.after === undefined ? one.arrivals : []));
  const markers = arrivals.map((arrival) => names.rewrites.removed(arrival, generation));
  return {
    steps: [
      ...inParts(evicted.map((id): Operation => ["evict", id])),
      ...putSteps(found),
      ...inParts(markers.map((document): Operation => ["put", document])),
    ],
    ids: new Set([...request.objects, ...remove]),
    arrivals: clock.arrivals,
    objects: found,
    changed: found.reduce((sum, one) => sum + one.changed, 0),
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
  { objects }: RewritePlan,
  forgotten: RewriteRequest["forgotten"],
  privacy: KeptPrivacy,
  clock: StoreClock,
  parts: RewritePlanParts,
): Promise<RewriteEnd | undefined> {
  const { names } = parts;
  const generation = clock.generation + 1;
  const basis = await basisOf(objects, parts);
  if (basis.clock.seq !== clock.seq) return undefined;
  checkNames(objects, basis);
  const nicknames = await nicknameChanges(objects, basis, generation, parts);
  const evicted = [
    names.index.stateId,
    ...nicknames.evicted,
    ...(await unusedChunks(objects, parts)),
  ];
  const { key } = privacy;
  const kept = { key, forgotten: addForgotten(privacy.forgotten, forgotten) };
  return {
    steps: inParts(evicted.map((id): Operation => ["evict", id])),
    last: [
      ...objects.flatMap(({ after }) =>
        after === undefined ? [] : pageOperations(undefined, after.body, names, generation),
      ),
      ...nicknames.operations,
      ["put", names.rewrites.privacy(kept)],
    ],
  };
}

/** Reads the owners of all nicknames that the objects had in any version, or will have. */
async function basisOf(
  objects: readonly RewrittenObject[],
  { client, bases }: RewritePlanParts,
): Promise<CommitBasis> {
  const nicknames = objects.flatMap((one) => [
    ...one.nicknames,
    ...(one.after?.body.nickname === undefined ? [] : [one.after.body.nickname]),
  ]);
  const query = { ids: [], nicknames: [...new Set(nicknames)], requestId: undefined };
  return await bases.fresh(query, client.budget());
}

function checkNames(objects: readonly RewrittenObject[], basis: CommitBasis): void {
  const gone = new Set<string>(
    objects.flatMap(({ id, after }) => (after === undefined ? [id] : [])),
  );
  checkNicknames(
    objects.flatMap(({ before, after }) => (after === undefined ? [] : [{ before, after }])),
    {
      owner(nickname) {
        const owner = basis.owner(nickname);
        return owner !== undefined && gone.has(owner) ? undefined : owner;
      },
      isObject: (id) => basis.isObject(id) && !gone.has(id),
    },
  );
}

/** Returns the transactions that put the versions of objects again. */
function putSteps(objects: readonly RewrittenObject[]): readonly (readonly Operation[])[] {
  const steps: Operation[][] = [];
  const rounds = Math.max(0, ...objects.map(({ versions }) => versions.length));
  for (let round = 0; round < rounds; round += 1) {
    // The versions of a round belong to different objects, so one transaction can have several.
    let size = Number.POSITIVE_INFINITY;
    for (const { versions } of objects) {
      const documents = versions[round];
      if (documents === undefined) continue;
      if (size > fullTransaction) {
        steps.push([]);
        size = 0;
      }
      steps.at(-1)?.push(...documents.map((document): Operation => ["put", document]));
      size += JSON.stringify(documents).length;
    }
  }
  return steps;
}

interface NicknameChanges {
  /** The ids of documents that are evicted. */
  readonly evicted: readonly string[];
  readonly operations: readonly Operation[];
}

/** Returns what becomes of the nicknames that the objects have or had. */
async function nicknameChanges(
  objects: readonly RewrittenObject[],
  basis: CommitBasis,
  generation: number,
  { client, names }: RewritePlanParts,
): Promise<NicknameChanges> {
  const ids = new Set(objects.map(({ id }) => id));
  const isOfOthers = (nickname: string): boolean => {
    const owner = basis.owner(nickname);
    return owner !== undefined && !ids.has(owner);
  };
  const former = new Set(objects.flatMap(({ nicknames }) => [...nicknames]));
  const freed = [...former].filter((nickname) => !isOfOthers(nickname));
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
  for (const { id, after } of objects) {
    const nickname = after?.body.nickname;
    if (nickname !== undefined && !isOfOthers(nickname)) owners.set(nickname, id);
  }
  return {
    evicted: freed.map((nickname) => names.nicknameId(nickname)),
    operations: [...owners].map(([nickname, owner]) =>
      nicknameOperation(nickname, owner, names, generation),
    ),
  };
}

/** Returns the ids of those long texts that only versions from before the rewrite name. */
async function unusedChunks(
  objects: readonly RewrittenObject[],
  { client, names }: RewritePlanParts,
): Promise<readonly string[]> {
  const own = new Set(objects.flatMap(({ documentIds }) => [...documentIds]));
  const used = new Set(objects.flatMap(({ chunks }) => [...chunks.after]));
  const former = new Set(objects.flatMap(({ chunks }) => [...chunks.before]));
  const left = [...former].filter((hash) => !used.has(hash));
  const unused = new Set(left);
  for (let start = 0; start < left.length; start += operationsAtOnce) {
    const rows = await client.query(
      `{:find [h d] :in [[h ...]] :where [[d :${names.attribute("chunks")} h]]}`,
      [left.slice(start, start + operationsAtOnce)],
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
