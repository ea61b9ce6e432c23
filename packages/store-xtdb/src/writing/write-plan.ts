import {
  type ChainEnd,
  chainLink,
  checkNicknames,
  type ObjectChange,
  type ObjectId,
  type StoredVersion,
  type VersionPoint,
} from "@self-context-manager/objects";

import type { ChunkCollection } from "../xtdb-documents/chunks.ts";
import type { CommitBasis } from "./commit-basis.ts";
import type { XtdbDocuments, StoreClock } from "../xtdb-documents/xtdb-documents.ts";
import type { Head } from "../reading/head.ts";
import type { JsonDocument, Operation } from "../client/node-client.ts";
import { ownReferences, pageOperations } from "../xtdb-documents/reference-documents.ts";

/** The writes of a transaction, prepared in memory. */
export interface WritePlan {
  readonly clock: StoreClock;
  readonly operations: readonly Operation[];
  /** The latest versions after the transaction. */
  readonly heads: readonly Head[];
  /** The nicknames whose owner changes, with the new one; undefined for a nickname that is free. */
  readonly owners: ReadonlyMap<string, ObjectId | undefined>;
}

/** What a plan is made of. */
export interface PlannedTransaction {
  /** The versions to write, of which no two belong to one object. */
  readonly versions: readonly StoredVersion[];
  /** The point that the next commit follows. */
  readonly at: VersionPoint;
  /** The point of the commit before, which has the first versions and is stored in the same transaction. */
  readonly before?: VersionPoint | undefined;
  readonly basis: CommitBasis;
  readonly namesAreChecked: boolean;
}

/** The heads of an object before and after a transaction. */
interface Change {
  readonly before: Head | undefined;
  readonly after: Head;
}

/**
 * Prepares the documents of one transaction. Throws `NICKNAME_TAKEN` if two objects would have the same nickname, or if a
 * nickname is the id of another object, unless `namesAreChecked`.
 */
export function planWrites(
  { versions, at, before: pointBefore, basis, namesAreChecked }: PlannedTransaction,
  names: XtdbDocuments,
  chunks: ChunkCollection,
): WritePlan {
  const { clock } = basis;
  const seq = clock.seq + (pointBefore === undefined ? 1 : 2);
  let { arrivals, objects } = clock;
  const operations: Operation[] = [];
  const { generation } = clock;
  const changes = versions.map((stored): Change => {
    const before = basis.head(stored.body.id);
    const place = before?.place ?? (objects += 1);
    arrivals += 1;
    const arrived = { stored, place, arrival: arrivals, generation };
    const { documents, ...rest } = versionDocuments(before, arrived, names, chunks);
    operations.push(
      ...documents.map((document): Operation => ["put", document]),
      ...pageOperations(before?.stored.body, stored.body, names, generation),
    );
    return { before, after: { stored, place, ...rest, asOf: seq } };
  });
  if (!namesAreChecked) checkNicknames(changes.map(changeOf), basis);
  const owners = ownerChanges(changes, basis);
  for (const [nickname, owner] of owners)
    operations.push(nicknameOperation(nickname, owner, names, generation));
  return {
    clock: { ...clock, seq, at, arrivals, objects },
    operations,
    heads: changes.map(({ after }) => after),
    owners,
  };
}

/** A version with its places in the order of first commits and of arrivals. */
interface ArrivedVersion {
  readonly stored: StoredVersion;
  readonly place: number;
  readonly arrival: number;
  readonly generation: number;
}

/** Returns the two documents of a version, that of its object and its own, and its place in the chain of deltas. */
export function versionDocuments(
  before: ChainEnd | undefined,
  { stored, place, arrival, generation }: ArrivedVersion,
  names: XtdbDocuments,
  chunks: ChunkCollection,
): Omit<ChainEnd, "stored"> & { readonly documents: readonly JsonDocument[] } {
  chunks.used();
  const { delta, ...rest } = chainLink(before, stored, chunks);
  const last = before?.stored.version ?? 0;
  const previous = last === stored.version - 1 ? undefined : last;
  const object = names.object({
    stored,
    generation,
    previous,
    place,
    references: ownReferences(stored.body, names),
    pack: (text) => chunks.attribute(text),
  });
  const packed = delta === undefined ? undefined : chunks.attribute(delta);
  const own = { stored, previous, arrival, generation, delta: packed, chunks: chunks.used() };
  return { documents: [object, names.version({ ...own, ...rest })], ...rest };
}

function changeOf({ before, after }: Change): ObjectChange {
  return { before: before?.stored, after: after.stored };
}

/** Returns the nicknames whose owner changes, with the new one; undefined for a nickname that is free. */
function ownerChanges(
  changes: readonly Change[],
  basis: CommitBasis,
): ReadonlyMap<string, ObjectId | undefined> {
  const owners = new Map<string, ObjectId | undefined>();
  const givenUp = new Map<string, Set<ObjectId>>();
  for (const { before, after } of changes) {
    const former = before?.stored.body.nickname;
    const { id, nickname } = after.stored.body;
    if (former === nickname) continue;
    if (former !== undefined) givenUp.set(former, (givenUp.get(former) ?? new Set()).add(id));
    if (nickname !== undefined) owners.set(nickname, id);
  }
  for (const [nickname, ids] of givenUp) {
    if (owners.has(nickname)) continue;
    // In merged histories, several objects can have a nickname for a while. A basis need not know who owns one that is
    // given up.
    const owner = basis.owner(nickname);
    if (owner === undefined || ids.has(owner)) owners.set(nickname, basis.heir(nickname, ids));
  }
  return owners;
}

export function nicknameOperation(
  nickname: string,
  owner: ObjectId | undefined,
  names: XtdbDocuments,
  generation: number,
): Operation {
  const documentId = names.nicknameId(nickname);
  if (owner === undefined) return ["delete", documentId];
  const attributes = { [names.attribute("owner")]: owner, ...names.mark(generation) };
  return ["put", names.sealed({ "xt/id": documentId, ...attributes })];
}
