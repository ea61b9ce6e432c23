import type {
  CommittedVersion,
  ObjectBody,
  ObjectId,
  ObjectWrite,
} from "@self-context-manager/objects";

import { attributeText, keyOfAttribute } from "../xtdb-documents/chunks.ts";
import type { ObjectDocument, StoreClock } from "../xtdb-documents/xtdb-documents.ts";
import { type Head, isVersionOf } from "../reading/head.ts";
import type { LatestObjectsParts } from "../reading/latest-objects.ts";
import type { CallBudget } from "../client/call-budget.ts";
import type { Document } from "../client/node-client.ts";
import type { VersionReaderParts } from "../reading/version-reader.ts";
import { pullDocuments } from "../client/pull-documents.ts";
import { DamageError, RewriteNoticed } from "../client/xtdb-errors.ts";

/**
 * The state of the store after one commit, on which the next commit is based. It is current if no other commit has
 * followed and if all `assumed` documents are absent. The next transaction checks both.
 */
export interface CommitBasis {
  readonly clock: StoreClock;
  /** Whether the basis was just read. If it is from memory, a refusal that follows from it is checked on a fresh basis. */
  readonly isFresh: boolean;
  /** Ids of documents that are assumed to be absent without having been read. */
  readonly assumed: ReadonlySet<string>;
  /** Whether the basis has what further writes need. One from memory adds it, and returns false if the memory lacks it. */
  covers(writes: readonly ObjectWrite[]): boolean;
  head(id: ObjectId): Head | undefined;
  owner(nickname: string): ObjectId | undefined;
  /** Returns an object that has a nickname beside those that give it up, as it can be in merged histories. */
  heir(nickname: string, without: ReadonlySet<ObjectId>): ObjectId | undefined;
  isObject(id: string): boolean;
  readonly request: EarlierRequest | undefined;
}

/** The stored outcome of an earlier commit with the same request id. */
interface EarlierRequest {
  readonly digest: string;
  readonly versions: readonly CommittedVersion[];
}

/** The objects, nicknames and request that a commit needs from its basis. */
export interface BasisQuery {
  readonly ids: readonly ObjectId[];
  readonly nicknames: readonly string[];
  readonly requestId: string | undefined;
}

/** Returns the query for the objects that a transaction writes. */
export function basisQuery(
  objects: readonly { readonly body: ObjectBody }[],
  requestId?: string,
): BasisQuery {
  return {
    ids: [...new Set(objects.map(({ body }) => body.id))],
    nicknames: objects.flatMap(({ body }) => body.nickname ?? []),
    requestId,
  };
}

export type BasisParts = LatestObjectsParts & Omit<VersionReaderParts, "rebuilt">;

export interface BasisReader {
  /**
   * Returns a basis from memory only, so that the loop of an agent makes no query before a commit. Objects that are
   * expected to be absent, nicknames and requests are assumed to be absent. Returns undefined if the memory does not
   * contain enough.
   */
  remembered(query: BasisQuery, writes: readonly ObjectWrite[]): CommitBasis | undefined;
  /** Reads a basis from one state of the database. */
  fresh(query: BasisQuery, budget: CallBudget): Promise<CommitBasis>;
}

export function basisReader({
  client,
  names,
  chunks,
  reader,
  heads,
  memory,
}: BasisParts): BasisReader {
  return {
    remembered: (query, writes) => rememberedBasis(query, writes, { names, heads, memory }),

    async fresh({ ids, nicknames, requestId }, budget) {
      const request =
        requestId === undefined ? undefined : names.requestId(requestId, memory.clock.generation);
      const wanted = new Set([names.clockId]);
      for (const id of ids) wanted.add(names.objectId(id)).add(names.nicknameId(id));
      for (const nickname of nicknames)
        wanted.add(names.objectId(nickname)).add(names.nicknameId(nickname));
      if (request !== undefined) wanted.add(request);
      // One query for all, because they must come from one state of the database.
      const found = new Map(
        await pullDocuments(client, [...wanted], budget, { atOnce: wanted.size }),
      );

      const clock = names.readClock(found.get(names.clockId));
      if (clock.isRewriting || clock.generation !== memory.clock.generation)
        throw new RewriteNoticed();
      if (clock.seq !== memory.clock.seq) memory.since = clock.seq;
      memory.clock = clock;
      const known = await headsAt(ids, found, clock.seq, budget);
      return {
        clock,
        isFresh: true,
        assumed: new Set<string>(),
        covers: (writes) =>
          writes.every(
            ({ object: { body } }) =>
              ids.includes(body.id) &&
              (body.nickname === undefined || nicknames.includes(body.nickname)),
          ),
        head: (id) => known.get(id),
        owner(nickname) {
          const document = found.get(names.nicknameId(nickname));
          return document === undefined
            ? undefined
            : (String(names.read(names.checked(document), "owner")) as ObjectId);
        },
        heir: () => undefined,
        isObject: (id) => found.has(names.objectId(id)),
        request:
          request === undefined
            ? undefined
            : await earlierRequest(found.get(request), { names, chunks }, budget),
      };
    },
  };

  async function headsAt(
    ids: readonly ObjectId[],
    found: ReadonlyMap<string, Document>,
    seq: number,
    budget: CallBudget,
  ): Promise<ReadonlyMap<ObjectId, Head>> {
    const known = new Map<ObjectId, Head>();
    const unknown = new Map<string, ObjectDocument>();
    for (const id of ids) {
      const document = found.get(names.objectId(id));
      if (document === undefined) continue;
      const object = names.readObject(document);
      const cached = heads.get(id);
      if (cached !== undefined && isVersionOf(cached, object))
        known.set(id, { ...cached, asOf: seq });
      else unknown.set(names.versionId(id, object.version), object);
    }
    if (unknown.size > 0) {
      const pairs = (await reader.versions([...unknown.keys()], budget)).flatMap((version) => {
        const object = unknown.get(names.versionId(version.id, version.version));
        return object === undefined ? [] : [{ object, version }];
      });
      const whole = await reader.whole(pairs, budget);
      for (const [index, { object, version }] of pairs.entries()) {
        const stored = whole[index];
        if (stored === undefined) continue;
        const { base, weight, size } = version;
        known.set(object.id, { stored, place: object.place, base, weight, size, asOf: seq });
      }
      if (pairs.length < unknown.size)
        throw new DamageError("the latest version of an object is missing");
    }
    for (const [id, head] of known) heads.set(id, head);
    return known;
  }
}

/** Returns a basis from memory; undefined if the memory lacks an object of the writes. */
function rememberedBasis(
  query: BasisQuery,
  writes: readonly ObjectWrite[],
  { names, heads, memory }: Pick<BasisParts, "names" | "heads" | "memory">,
): CommitBasis | undefined {
  const known = new Map<ObjectId, Head>();
  const assumed = new Set<string>();
  const owners = new Map<string, ObjectId>();
  const { clock, since } = memory;
  function covers(some: readonly ObjectWrite[]): boolean {
    for (const { object, expect } of some) {
      const { id } = object.body;
      const head = heads.get(id);
      if (head !== undefined && head.asOf >= since) known.set(id, head);
      else if (expect === 0) assumed.add(names.objectId(id));
      else return false;
      const nickname = head?.stored.body.nickname;
      if (nickname !== undefined && known.has(id)) owners.set(nickname, id);
    }
    return true;
  }
  if (!covers(writes)) return undefined;
  if (query.requestId !== undefined)
    assumed.add(names.requestId(query.requestId, clock.generation));
  return {
    clock,
    isFresh: false,
    assumed,
    covers,
    head: (id) => known.get(id),
    owner(nickname) {
      const owner = owners.get(nickname);
      if (owner === undefined) assumed.add(names.nicknameId(nickname));
      return owner;
    },
    heir: () => undefined,
    isObject(id) {
      if (known.has(id as ObjectId)) return true;
      assumed.add(names.objectId(id));
      return false;
    },
    request: undefined,
  };
}

/** Reads the outcome of a request from its document. */
async function earlierRequest(
  document: Document | undefined,
  { names, chunks }: Pick<BasisParts, "names" | "chunks">,
  budget: CallBudget,
): Promise<EarlierRequest | undefined> {
  if (document === undefined) return undefined;
  const outcome = String(names.read(names.checked(document), "outcome"));
  const key = keyOfAttribute(outcome);
  const texts = await chunks.load(key === undefined ? [] : [key], budget);
  return {
    digest: String(names.read(document, "digest")),
    versions: JSON.parse(attributeText(outcome, texts)) as readonly CommittedVersion[],
  };
}
