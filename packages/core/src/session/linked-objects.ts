import type { ObjectId, StoredMetadata } from "@self-context-manager/objects";
import { linksOf } from "../documents/follow-links.ts";
import { isDocument } from "../documents/update-index.ts";
import { joinPool, type SessionScope } from "../state/session-scope.ts";
import type { PoolEntry } from "../view/pool-entry.ts";

/** The number of objects that join the pool because one document links to them. */
const usualLinkedObjects = 30;

/**
 * Adds the objects to the pool to which active documents link: one hop, in the workspace, inactive and unread (decision
 * D64). Nothing is parsed here and nothing is read from disk, so the links of a document that was just stored follow with
 * a later call, when the index has them.
 */
export async function joinLinked(scope: SessionScope): Promise<void> {
  const { documents, store, workspace, linkedObjects = usualLinkedObjects } = scope.dependencies;
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
  for (const { id, handle, stored } of indexed) {
    scope.followed.set(id, stored.hashes.content_hash);
    const links = await linksOf([id], { store, parser, workspace });
    const targets = new Set(
      links.flatMap(({ target }) => (target.state === "unresolved" ? [] : [target.id])),
    );
    targets.delete(id);
    const found = await store.describe([...targets]);
    let joined = 0;
    for (const target of found) {
      if (target === undefined || !canJoin(scope, target)) continue;
      if (joined >= linkedObjects) break;
      joinPool(scope.state, target, { linked: handle });
      joined += 1;
    }
  }
}

/** Returns the active documents whose links have not been followed since they changed. */
function documentsToFollow({ state, followed }: SessionScope): readonly PoolEntry[] {
  return [...state.active.activations.keys()].flatMap((id: ObjectId): readonly PoolEntry[] => {
    const entry = state.pool.get(id);
    if (entry === undefined || !isDocument(entry.stored.body)) return [];
    return followed.get(id) === entry.stored.hashes.content_hash ? [] : [entry];
  });
}

/** Whether an object is in the workspace. An object without a path, such as a note, is everywhere. */
function canJoin({ dependencies }: SessionScope, { body }: StoredMetadata): boolean {
  const { workspace } = dependencies;
  const { path } = body;
  if (body.locked) return false;
  return (
    typeof path !== "string" ||
    path.startsWith(workspace.endsWith("/") ? workspace : `${workspace}/`)
  );
}
