import {
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
import type { Operation } from "../client/node-client.ts";
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
  { versions, at, basis, namesAreChecked }: PlannedTransaction,
  names: XtdbDocuments,
  chunks: ChunkCollection,
): WritePlan {
  const { clock } = basis;
  const seq = clock.seq + 1;
  let { arrivals, objects } = clock;
  const operations: Operation[] = [];
  const changes = versions.map((stored): Change => {
    const before = basis.head(stored.body.id);
    const { delta, ...rest } = chainLink(before, stored, chunks);
    const place = before?.place ?? (objects += 1);
    const last = before?.stored.version ?? 0;
    const previous = last === stored.version - 1 ? undefined : last;
    arrivals += 1;
    operations.push(
      [
        "put",
        names.object({
          stored,
          previous,
          place,
          references: ownReferences(stored.body, names),
          pack: (text) => chunks.attribute(text),
        }),
      ],
      [
        "put",
        names.version({
          stored,
          previous,
          arrival: arrivals,
          delta: delta === undefined ? undefined : chunks.attribute(delta),
          ...rest,
        }),
      ],
      ...pageOperations(before?.stored.body, stored.body, names),
    );
    return { before, after: { stored, place, ...rest, asOf: seq } };
  });
  if (!namesAreChecked) checkNicknames(changes.map(changeOf), basis);
  const owners = ownerChanges(changes, basis);
  for (const [nickname, owner] of owners)
    operations.push(nicknameOperation(nickname, owner, names));
  return {
    clock: { ...clock, seq, at, arrivals, objects },
    operations,
    heads: changes.map(({ after }) => after),
    owners,
  };
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

function nicknameOperation(
  nickname: string,
  owner: ObjectId | undefined,
  names: XtdbDocuments,
): Operation {
  const documentId = names.nicknameId(nickname);
  return owner === undefined
    ? ["delete", documentId]
    : ["put", names.sealed({ "xt/id": documentId, [names.attribute("owner")]: owner })];
}
