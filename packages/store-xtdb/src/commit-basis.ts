import type {
  BodyCache,
  CommittedVersion,
  ObjectId,
  ObjectWrite,
} from "@self-context-manager/objects";

import { attributeText, type Chunks, keyOfAttribute } from "./chunks.ts";
import type { Documents, StoreClock } from "./documents.ts";
import type { Head } from "./head.ts";
import type { Document, NodeClient, CallBudget } from "./node-client.ts";
import type { VersionReader } from "./version-reader.ts";
import { DamageError } from "./xtdb-errors.ts";

/**
 * The state of the store after one commit, on which the next one is worked out. It is the present state if no commit came
 * since, which writing the next commit's document checks, and if `assumed` holds, which is checked with it.
 */
export interface CommitBasis {
  readonly clock: StoreClock;
  /** Whether it was read just now; otherwise it is from memory, and a refusal that follows from it is checked on a fresh basis. */
  readonly isFresh: boolean;
  /** Documents that are taken for absent without having been read. */
  readonly assumed: ReadonlySet<string>;
  head(id: ObjectId): Head | undefined;
  owner(nickname: string): ObjectId | undefined;
  isObject(id: string): boolean;
  readonly request: EarlierRequest | undefined;
}

/** What a request id stood for. */
interface EarlierRequest {
  readonly digest: string;
  readonly versions: readonly CommittedVersion[];
}

/** The facts that a commit needs of its basis. */
export interface BasisQuery {
  readonly ids: readonly ObjectId[];
  readonly nicknames: readonly string[];
  readonly requestId: string | undefined;
}

/** What this client knows of the store without asking. */
export interface Memory {
  clock: StoreClock;
  /** From this commit on all commits are known: what was the latest then or later still is. */
  since: number;
}

/**
 * Takes in where the store stood at a reading. Where others have committed meanwhile, only what was read since then is
 * known; so whoever reads an object to change it commits without another question, and is not late each time.
 */
export function learn(memory: Memory, clock: StoreClock): void {
  if (clock.seq <= memory.clock.seq) return;
  memory.clock = clock;
  memory.since = clock.seq;
}

export interface BasisParts {
  readonly client: NodeClient;
  readonly names: Documents;
  readonly chunks: Chunks;
  readonly reader: VersionReader;
  readonly heads: BodyCache<Head>;
  readonly memory: Memory;
}

export interface BasisReader {
  /**
   * From memory alone: in the loop of an agent no question is asked before a commit. Objects that are expected not to be
   * there, names and requests are taken for absent. Undefined where that does not say enough.
   */
  remembered(query: BasisQuery, writes: readonly ObjectWrite[]): CommitBasis | undefined;
  /** From the database, at one moment. */
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
    remembered(query, writes) {
      const known = new Map<ObjectId, Head>();
      const assumed = new Set<string>();
      for (const { object, expect } of writes) {
        const id = object.body.id;
        const head = heads.get(id);
        if (head !== undefined && head.asOf >= memory.since) known.set(id, head);
        else if (expect === 0) assumed.add(names.objectId(id));
        else return undefined;
      }
      if (query.requestId !== undefined) assumed.add(names.requestId(query.requestId));
      const owners = new Map<string, ObjectId>();
      for (const { stored } of known.values())
        if (stored.body.nickname !== undefined) owners.set(stored.body.nickname, stored.body.id);
      return {
        clock: memory.clock,
        isFresh: false,
        assumed,
        head: (id) => known.get(id),
        owner(nickname) {
          const owner = owners.get(nickname);
          if (owner === undefined) assumed.add(names.nicknameId(nickname));
          return owner;
        },
        isObject(id) {
          if (known.has(id as ObjectId)) return true;
          assumed.add(names.objectId(id));
          return false;
        },
        request: undefined,
      };
    },

    async fresh({ ids, nicknames, requestId }, budget) {
      const wanted = new Set([names.clockId]);
      for (const id of ids) wanted.add(names.objectId(id)).add(names.nicknameId(id));
      for (const nickname of nicknames)
        wanted.add(names.objectId(nickname)).add(names.nicknameId(nickname));
      if (requestId !== undefined) wanted.add(names.requestId(requestId));
      const found = await documentsAt([...wanted], budget);

      const clock = names.readClock(found.get(names.clockId));
      if (clock.seq !== memory.clock.seq) memory.since = clock.seq;
      memory.clock = clock;
      const known = await headsAt(ids, found, clock.seq, budget);
      return {
        clock,
        isFresh: true,
        assumed: new Set<string>(),
        head: (id) => known.get(id),
        owner(nickname) {
          const document = found.get(names.nicknameId(nickname));
          return document === undefined
            ? undefined
            : (String(names.read(document, "owner")) as ObjectId);
        },
        isObject: (id) => found.has(names.objectId(id)),
        request:
          requestId === undefined
            ? undefined
            : await earlierRequest(found.get(names.requestId(requestId)), budget),
      };
    },
  };

  /** All at one moment of the database, however many: what belongs together must not be read apart. */
  async function documentsAt(
    documentIds: readonly string[],
    budget: CallBudget,
  ): Promise<ReadonlyMap<string, Document>> {
    const rows = await client.query(
      "{:find [d (pull d [*])] :in [[d ...]] :where [[d :xt/id]]}",
      [documentIds],
      budget,
    );
    return new Map(rows.map(([id, document]) => [String(id), document as Document]));
  }

  async function headsAt(
    ids: readonly ObjectId[],
    found: ReadonlyMap<string, Document>,
    seq: number,
    budget: CallBudget,
  ): Promise<ReadonlyMap<ObjectId, Head>> {
    const known = new Map<ObjectId, Head>();
    const unknown = new Map<string, number>();
    for (const id of ids) {
      const document = found.get(names.objectId(id));
      if (document === undefined) continue;
      const version = Number(names.read(document, "version"));
      const place = Number(names.read(document, "place"));
      const cached = heads.get(id);
      if (cached?.stored.version === version) known.set(id, { ...cached, asOf: seq });
      else unknown.set(names.versionId(id, version), place);
    }
    if (unknown.size > 0) {
      const read = await reader.versions([...unknown.keys()], budget);
      const whole = await reader.whole(read, budget);
      for (const [index, { id, version, base, weight, size }] of read.entries()) {
        const stored = whole[index];
        const place = unknown.get(names.versionId(id, version));
        if (stored === undefined || place === undefined) continue;
        known.set(id, { stored, place, base, weight, size, asOf: seq });
      }
      if (read.length < unknown.size)
        throw new DamageError("the latest version of an object is missing");
    }
    for (const [id, head] of known) heads.set(id, head);
    return known;
  }

  async function earlierRequest(
    document: Document | undefined,
    budget: CallBudget,
  ): Promise<EarlierRequest | undefined> {
    if (document === undefined) return undefined;
    const outcome = String(names.read(document, "outcome"));
    const key = keyOfAttribute(outcome);
    const texts = await chunks.load(key === undefined ? [] : [key], budget);
    return {
      digest: String(names.read(document, "digest")),
      versions: JSON.parse(attributeText(outcome, texts)) as readonly CommittedVersion[],
    };
  }
}
