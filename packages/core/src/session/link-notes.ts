import type { IndexedNames, ObjectId } from "@self-context-manager/objects";
import type { FollowedLink } from "../documents/follow-links.ts";
import { isDocument } from "../documents/update-index.ts";
import { nearestNames } from "../documents/nearest-names.ts";
import { linkProblems } from "../lines/notices.ts";
import { shortName } from "../render/short-name.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { PoolEntry } from "../view/pool-entry.ts";
import { visibleLinks } from "./visible-links.ts";

/** The number of links that one line names. */
const mostLinks = 5;

/** Names of the store among which a similar one is searched, for each link. */
const mostSimilar = 30;

/**
 * Returns a line for each document that a tool has written since the last view: its new links that have no target or
 * several, with the nearest names. A document that the index does not have yet waits for a later view.
 */
export async function linkNotes(scope: SessionScope): Promise<readonly string[]> {
  const { dependencies, written, state } = scope;
  const { documents, store, workspace } = dependencies;
  if (documents === undefined || written.size === 0) return [];
  const { parser } = documents;
  const notes: string[] = [];
  for (const [id, { isWaiting, known }] of written) {
    const entry = state.pool.get(id);
    if (!isWaiting || entry === undefined) continue;
    const [indexed] = await store.documents.entries(parser.name, [id]);
    if (indexed?.contentHash !== entry.stored.hashes.content_hash) continue;
    const followed = await visibleLinks(scope, [entry], { store, parser, workspace });
    const links = followed.get(id) ?? [];
    const open = links.filter(({ target }) => target.state !== "resolved");
    const isNew = open.filter(({ link }) => !known.has(link.raw));
    written.set(id, { isWaiting: false, known: new Set(open.map(({ link }) => link.raw)) });
    if (isNew.length > 0) notes.push(await noteOf(scope, entry, isNew));
  }
  return notes;
}

/** Notes that a tool has written a document, whose links are looked at when the index has them. */
export function noteWrittenDocument(
  { dependencies: { documents }, state, written }: SessionScope,
  id: ObjectId,
): void {
  const entry = state.pool.get(id);
  if (documents === undefined || entry === undefined || !isDocument(entry.stored.body)) return;
  written.set(id, { isWaiting: true, known: written.get(id)?.known ?? new Set() });
  documents.request({ soon: true });
}

async function noteOf(
  scope: SessionScope,
  { handle, stored }: PoolEntry,
  open: readonly FollowedLink[],
): Promise<string> {
  const { workspace } = scope.dependencies;
  const names = new Map(open.map((one) => [one.link.raw, one]));
  const shown = [...names.values()].slice(0, mostLinks);
  const problems: string[] = [];
  for (const one of shown) problems.push(await problemOf(scope, one));
  const others = names.size - shown.length;
  if (others > 0) problems.push(`${others} other links have no target`);
  return linkProblems.write(handle, `${shortName(workspace, stored.body)}: ${problems.join("; ")}`);
}

async function problemOf(scope: SessionScope, { link, target }: FollowedLink): Promise<string> {
  const { state, dependencies } = scope;
  const written = link.syntax === "wiki" ? `[[${link.name}]]` : `(${link.name})`;
  if (target.state === "ambiguous") {
    const stored = await dependencies.store.describe(target.candidates.slice(0, 3));
    const names = stored.flatMap((one) =>
      one === undefined ? [] : [shortName(dependencies.workspace, one.body)],
    );
    return `${written} names several objects: ${names.join(", ")}`;
  }
  const id = state.pool.handles.get(link.name);
  const known = id === undefined ? undefined : state.pool.get(id);
  if (known !== undefined)
    return `${written} is a handle of this session only; link to ${shortName(dependencies.workspace, known.stored.body)}`;
  const near = nearestNames(link.name, await namesLike(scope, link.name));
  return `${written} has no target yet${near.length === 0 ? "" : `, near: ${near.join(", ")}`}`;
}

/** Returns names of the session's objects, and of those that a search for the words of a name finds. */
async function namesLike(scope: SessionScope, name: string): Promise<readonly IndexedNames[]> {
  const { documents, store, logger } = scope.dependencies;
  if (documents === undefined) return [];
  const ids = new Set(scope.state.pool.entries.keys());
  try {
    const hits = (await documents.search?.search({ words: name, limit: mostSimilar })) ?? [];
    for (const { id } of hits) ids.add(id);
  } catch (error) {
    // The names of the session's own objects remain.
    logger.warn("the full-text index cannot be read", { error });
  }
  const entries = await store.documents.entries(documents.parser.name, [...ids]);
  return entries.flatMap((entry) => (entry === undefined ? [] : [entry.names]));
}
