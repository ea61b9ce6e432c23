import {
  collectReferences,
  encodeDelta,
  encodeWhole,
  type ObjectBody,
  type ObjectId,
  sizeOf,
  StoreError,
  type StoredVersion,
} from "@self-context-manager/objects";

import type { Head } from "./body-cache.ts";
import type { ChunkCollection } from "./chunks.ts";
import {
  bulkOf,
  type Documents,
  edgeKey,
  metadataText,
  placed,
  type StoreClock,
} from "./documents.ts";
import type { Ground } from "./ground.ts";
import type { Operation } from "./node-client.ts";

/** What a transaction will write, worked out in memory. */
export interface WritePlan {
  readonly clock: StoreClock;
  readonly operations: readonly Operation[];
  /** The latest versions as they stand afterwards. */
  readonly heads: readonly Head[];
}

/** Deltas may reach this many times the size of what they build before it is written whole again. */
const heaviest = 3;

/** Below this many characters of deltas nothing is gained by writing a small document whole. */
const lightest = 8_192;

/** An object before and after. */
interface Change {
  readonly before: Head | undefined;
  readonly after: Head;
}

/**
 * Works out the documents of some versions, in the order in which they are told, on the given ground. Throws
 * `NICKNAME_TAKEN` where two objects would share a nickname, or one would have another's id.
 */
export function planWrites(
  versions: readonly StoredVersion[],
  ground: Ground,
  names: Documents,
  chunks: ChunkCollection,
): WritePlan {
  const { clock } = ground;
  const seq = clock.seq + 1;
  let { arrivals, objects, at } = clock;
  const changes = new Map<ObjectId, Change>();
  const operations: Operation[] = [];
  for (const stored of versions) {
    const id = stored.body.id;
    const change = changes.get(id);
    const former = change?.after ?? ground.head(id);
    const content = contentOf(former, stored, chunks);
    const place = former?.place ?? (objects += 1);
    arrivals += 1;
    at = {
      tx_id: Math.max(at.tx_id, stored.at.tx_id),
      tx_time: at.tx_time > stored.at.tx_time ? at.tx_time : stored.at.tx_time,
    };
    const { delta, ...rest } = content;
    operations.push([
      "put",
      names.version({
        stored,
        arrival: arrivals,
        edges: newEdges(former, stored, place),
        body: chunks.attribute(metadataText(stored.body)),
        delta: delta === undefined ? undefined : chunks.attribute(delta),
        ...rest,
      }),
    ]);
    changes.set(id, {
      before: change === undefined ? former : change.before,
      after: { stored, place, ...rest, asOf: seq },
    });
  }
  checkNicknames(changes, ground);
  for (const { after } of changes.values()) {
    operations.push(["put", names.object(after.stored, after.place)]);
  }
  operations.push(...nicknameOperations([...changes.values()], names));
  return {
    clock: { seq, at, arrivals, objects },
    operations,
    heads: [...changes.values()].map(({ after }) => after),
  };
}

interface Content {
  readonly base: number;
  readonly weight: number;
  readonly size: number;
  readonly delta: string | undefined;
}

function contentOf(
  before: Head | undefined,
  stored: StoredVersion,
  chunks: ChunkCollection,
): Content {
  const bulk = bulkOf(stored.body);
  if (before !== undefined) {
    const { base, weight, size } = before;
    const chunked = chunks.written();
    const result = encodeDelta(bulkOf(before.stored.body), bulk, chunks);
    if (result === undefined) return { base, weight, size, delta: undefined };
    const delta = JSON.stringify(result.delta);
    const heavier = weight + delta.length + chunks.written() - chunked;
    const grown = Math.max(0, size + result.growth);
    if (heavier <= heaviest * grown + lightest)
      return { base, weight: heavier, size: grown, delta };
  }
  const delta = JSON.stringify(encodeWhole(bulk, chunks));
  return { base: stored.version, weight: 0, size: sizeOf(bulk), delta };
}

/** The keys of an object's references, each once. */
const edges = new WeakMap<ObjectBody, ReadonlySet<string>>();

function edgesOf(body: ObjectBody): ReadonlySet<string> {
  const known = edges.get(body);
  if (known !== undefined) return known;
  const found = new Set(
    collectReferences(body).map(({ reference }) => edgeKey(reference.id, reference.ref)),
  );
  edges.set(body, found);
  return found;
}

/**
 * A version tells only of references that are new in it, so that a chat that gains one with every turn grows by one.
 * That a reference went away is seen in the latest version, which is read for its paths anyway.
 */
function newEdges(before: Head | undefined, { body }: StoredVersion, place: number): string[] {
  const former = before === undefined ? new Set<string>() : edgesOf(before.stored.body);
  return [...edgesOf(body)].filter((key) => !former.has(key)).map((key) => placed(key, place));
}

function nicknameOperations(changes: readonly Change[], names: Documents): readonly Operation[] {
  const given = new Map<string, ObjectId>();
  const taken = new Set<string>();
  for (const { before, after } of changes) {
    const former = before?.stored.body.nickname;
    const { id, nickname } = after.stored.body;
    if (former === nickname) continue;
    if (former !== undefined) taken.add(former);
    if (nickname !== undefined) given.set(nickname, id);
  }
  return [
    ...[...taken]
      .filter((nickname) => !given.has(nickname))
      .map((nickname): Operation => ["delete", names.nicknameId(nickname)]),
    ...[...given].map(([nickname, owner]): Operation => [
      "put",
      { "xt/id": names.nicknameId(nickname), [names.attribute("owner")]: owner },
    ]),
  ];
}

function checkNicknames(changes: ReadonlyMap<ObjectId, Change>, ground: Ground): void {
  const claimed = new Map<string, ObjectId>();
  for (const [id, { before, after }] of changes) {
    const { nickname } = after.stored.body;
    if (nickname === undefined) continue;
    const rival = claimed.get(nickname);
    if (rival !== undefined) throw taken(nickname, id, `object ${rival} has it`);
    claimed.set(nickname, id);
    if (before?.stored.body.nickname === nickname) continue;
    const owner = ground.owner(nickname);
    if (owner !== undefined && !changes.has(owner))
      throw taken(nickname, id, `object ${owner} has it`);
    if (changes.has(nickname as ObjectId) || ground.isObject(nickname))
      throw taken(nickname, id, "it is the id of an object");
  }
  for (const [id, { before }] of changes) {
    if (before !== undefined) continue;
    const owner = claimed.get(id) ?? ground.owner(id);
    if (owner === undefined) continue;
    if (claimed.has(id) || !changes.has(owner)) throw taken(id, owner, "it is the id of an object");
  }
}

function taken(nickname: string, id: ObjectId, why: string): StoreError {
  return new StoreError(
    "NICKNAME_TAKEN",
    `object ${id} cannot have the nickname ${nickname}: ${why}`,
  );
}
