import {
  chainLink,
  checkNicknames,
  collectReferences,
  hashRule,
  metadataText,
  type ObjectBody,
  type ObjectId,
  type StoredVersion,
} from "@self-context-manager/objects";

import type { ChunkCollection } from "../documents/chunks.ts";
import { type Documents, edgeKey, placed, type StoreClock } from "../documents/documents.ts";
import type { CommitBasis } from "./commit-basis.ts";
import type { Head } from "../reading/head.ts";
import type { Operation } from "../client/node-client.ts";

/** The writes of a transaction, prepared in memory. */
export interface WritePlan {
  readonly clock: StoreClock;
  readonly operations: readonly Operation[];
  /** The latest versions after the transaction. */
  readonly heads: readonly Head[];
}

/** The heads of an object before and after a transaction. */
interface Change {
  readonly before: Head | undefined;
  readonly after: Head;
}

/**
 * Prepares the documents of versions, in the given order, on the given basis. Throws `NICKNAME_TAKEN` if two objects
 * would have the same nickname, or if a nickname is the id of another object.
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

/** The keys of the references of a body, each once. */
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
 * Returns the keys of the references that are new in a version, so that a chat that gains one with every turn stores one
 * more. Removed references are found in the latest version, which is read for its paths anyway.
 */
function newEdges(before: Head | undefined, { body }: StoredVersion, place: number): string[] {
  // By hash rule 1, some fields contained no references, so a version of it has no keys for them.
  const former =
    before === undefined || hashRule(before.stored.hashes) === 1
      ? new Set<string>()
      : edgesOf(before.stored.body);
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
