import {
  type FollowedLink,
  type LinkParts,
  linksOf,
  onVisibleLines,
} from "@self-context-manager/links";
import type { ObjectId } from "@self-context-manager/objects";
import { everyLine, visibleLines } from "../state/host-shown.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { PoolEntry } from "../view/pool-entry.ts";

/**
 * Returns the links of documents of the pool, by document. If other extensions of the host can hide a part of a file, the
 * links on lines that the model has not seen are not among them.
 */
export async function visibleLinks(
  scope: SessionScope,
  documents: readonly PoolEntry[],
  parts: LinkParts,
): Promise<ReadonlyMap<ObjectId, readonly FollowedLink[]>> {
  const all = Map.groupBy(
    await linksOf(
      documents.map(({ id }) => id),
      parts,
    ),
    ({ from }) => from.id,
  );
  const visible = new Map<ObjectId, readonly FollowedLink[]>();
  for (const document of documents)
    visible.set(document.id, await ofVisible(scope, document, all.get(document.id) ?? []));
  return visible;
}

async function ofVisible(
  scope: SessionScope,
  { id, stored }: PoolEntry,
  links: readonly FollowedLink[],
): Promise<readonly FollowedLink[]> {
  if (links.length === 0) return links;
  const isVisible = await visibleLines(scope, stored);
  if (isVisible === everyLine) return links;
  const held = scope.contents.get(id);
  const version =
    held?.version === stored.version
      ? held
      : await scope.dependencies.store.get(id, { version: stored.version });
  const placed = links.map((one) => ({ ...one, range: one.link.range }));
  return onVisibleLines(placed, version?.body.content ?? "", isVisible);
}
