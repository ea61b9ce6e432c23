import {
  chainLink,
  checkNicknames,
  collectReferences,
  metadataText,
  type ObjectBody,
  type ObjectId,
  type StoredVersion,
} from "@self-context-manager/objects";

import type { ChunkCollection } from "./chunks.ts";
import { type Documents, edgeKey, placed, type StoreClock } from "./documents.ts";
import type { CommitBasis } from "./commit-basis.ts";
import type { Head } from "./head.ts";
import type { Operation } from "./node-client.ts";

/** What a transaction will write, worked out in memory. */
export interface WritePlan {
  readonly clock: StoreClock;
  readonly operations: readonly Operation[];
  /** The latest versions as they stand afterwards. */
  readonly heads: readonly Head[];
}

/** An object before and after. */
interface Change {
  readonly before: Head | undefined;
  readonly after: Head;
}

/**
 * Works out the documents of some versions, in the order given, on the given basis. Throws
 * `NICKNAME_TAKEN` where two objects would share a nickname, or one would have another's id.
 */
export function planWrites(
  versions: readonly StoredVersion[],
  basis: CommitBasis,
  names: Documents,
  chunks: ChunkCollection,
): WritePlan {
  const { clock } = basis;
  const seq = clock.seq + 1;
  let { arrivals, objects, at } = clock;
  const changes = new Map<ObjectId, Change>();
  const operations: Operation[] = [];
  for (const stored of versions) {
    const id = stored.body.id;
    const change = changes.get(id);
    const former = change?.after ?? basis.head(id);
    const content = chainLink(former, stored, chunks);
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
  checkNicknames(
    [...changes.values()].map(({ before, after }) => ({
      before: before?.stored,
      after: after.stored,
    })),
    basis,
  );
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
