import { type FollowedLink, isDocument, type LinkTarget } from "@self-context-manager/links";
import type { ObjectId, StoredMetadata } from "@self-context-manager/objects";
import { joinPool, type SessionScope } from "../state/session-scope.ts";
import type { PoolEntry } from "../view/pool-entry.ts";
import { withDiskTargets } from "./disk-targets.ts";
import { linkParts, withinReach } from "./reach.ts";
import { visibleLinks } from "./visible-links.ts";

/** The number of objects that join the pool because one document links to them. */
const usualLinkedObjects = 30;

/**
 * Adds the objects to the pool to which active documents link: one hop, in the workspace, inactive and unread (decision
 * D64). Nothing is parsed here, and of files only names are taken from the disk, so the links of a document that was just stored follow with
 * a later call, when the index has them.
 */
export async function joinLinked(scope: SessionScope): Promise<void> {
  const { documents, store, linkedObjects = usualLinkedObjects } = scope.dependencies;
  if (documents === undefined || linkedObjects === 0) return;
  const waiting = documentsToFollow(scope);
  if (waiting.length === 0) return;
  const { parser } = documents;
  const entries = await store.documents.entries(
    parser.name,
    waiting.map(({ id }) => id),
  );
  const indexed = waiting.filter(
    ({ stored }, index) => entries[index]?.contentHash === stored.hashes.content_hash,
  );
  if (indexed.length === 0) return;
  const links = await onDisk(scope, await visibleLinks(scope, indexed, linkParts(scope, parser)));
  const targets = new Set([...links.values()].flat().flatMap(({ target }) => idsOf(target)));
  const stored = (await store.describe([...targets])).filter((one) => one !== undefined);
  const found = new Map(
    (await withinReach(scope, stored)).map((target) => [target.body.id, target]),
  );
  for (const { id, handle, stored } of indexed) {
    scope.followed.set(id, stored.hashes.content_hash);
    const own = new Set((links.get(id) ?? []).flatMap(({ target }) => idsOf(target)));
    own.delete(id);
    let joined = 0;
    for (const one of own) {
      const target = found.get(one);
      if (target === undefined || !canJoin(scope, target)) continue;
      if (joined >= linkedObjects) break;
      joinPool(scope.state, target, { linked: handle });
      joined += 1;
    }
  }
}

/** Returns the links of all documents, also with files that are only on the disk (decision D62). */
async function onDisk(
  scope: SessionScope,
  links: ReadonlyMap<ObjectId, readonly FollowedLink[]>,
): Promise<ReadonlyMap<ObjectId, readonly FollowedLink[]>> {
  const followed = await withDiskTargets(scope, [...links.values()].flat());
  let from = 0;
  return new Map(
    [...links].map(([id, { length }]) => {
      from += length;
      return [id, followed.slice(from - length, from)];
    }),
  );
}

function idsOf(target: LinkTarget): readonly ObjectId[] {
  return target.state === "unresolved" ? [] : [target.id];
}

/** Returns the active documents whose links have not been followed since they changed. */
function documentsToFollow({ state, followed }: SessionScope): readonly PoolEntry[] {
  return [...state.active.activations.keys()].flatMap((id: ObjectId): readonly PoolEntry[] => {
    const entry = state.pool.get(id);
    if (entry === undefined || !isDocument(entry.stored.body)) return [];
    return followed.get(id) === entry.stored.hashes.content_hash ? [] : [entry];
  });
}

/** Whether an object is in the workspace. An object without a path, such as a note, is in no folder. */
function canJoin({ dependencies }: SessionScope, { body }: StoredMetadata): boolean {
  const { workspace } = dependencies;
  const { path } = body;
  if (body.locked) return false;
  return (
    typeof path !== "string" ||
    path.startsWith(workspace.endsWith("/") ? workspace : `${workspace}/`)
  );
}
