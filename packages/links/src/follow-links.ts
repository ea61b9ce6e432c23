import {
  compareText,
  type DocumentParser,
  type IndexedLink,
  type IndexedNames,
  type IndexedObject,
  type ObjectId,
  type ObjectStore,
  type ParsedLink,
  type StoredVersion,
} from "@self-context-manager/objects";

import { linkKeys, objectKeys } from "./name-keys.ts";
import { isDocument } from "./update-index.ts";
import { type LinkPlace, type LinkTarget, resolveLink } from "./resolve-link.ts";

/** A link of a document, with what it means now. */
export interface FollowedLink {
  readonly from: IndexedNames;
  readonly link: ParsedLink;
  readonly target: LinkTarget;
}

/** What a link finder needs. `workspace` is the folder in which names that are no ids are looked up. */
export interface LinkParts {
  readonly store: ObjectStore;
  readonly parser: DocumentParser;
  readonly workspace: string;
  /**
   * Returns those of some objects that links can mean, and whose links are followed back. Others do not exist for links: a
   * name that only they have is unresolved. Default: all.
   */
  readonly among?: (ids: readonly ObjectId[]) => Promise<ReadonlySet<ObjectId>>;
}

/** Returns the links of documents in their order, with what they mean now. Objects that are no documents have none. */
export async function linksOf(
  ids: readonly ObjectId[],
  parts: LinkParts,
): Promise<readonly FollowedLink[]> {
  const documents = await entriesOf(ids, parts);
  const links = documents.flatMap((one) =>
    (one.document?.links ?? []).map((link, index) => ({ from: one.names, index, link })),
  );
  return await follow(links, parts);
}

/** Returns the links of one version of a document, with what they mean now. */
export async function linksOfVersion(
  stored: StoredVersion,
  parts: LinkParts,
): Promise<readonly FollowedLink[]> {
  const { body, hashes } = stored;
  if (!isDocument(body) || typeof body.content !== "string") return [];
  const [entry] = await entriesOf([body.id], parts);
  const from = entry?.names ?? { id: body.id, aliases: [] };
  const document =
    entry?.contentHash === hashes.content_hash ? entry.document : parts.parser.parse(body.content);
  return await follow(
    (document?.links ?? []).map((link, index) => ({ from, index, link })),
    parts,
  );
}

/** Returns the links to an object, in the order of the ids of their documents and then of their places. */
export async function backlinksOf(
  id: ObjectId,
  parts: LinkParts,
): Promise<readonly FollowedLink[]> {
  const { store, parser } = parts;
  const [own] = await entriesOf([id], parts);
  const names = own?.names ?? { id, aliases: [] };
  const links = await store.documents.linking(parser.name, objectKeys(id, names));
  const sources = await reachedOf(
    links.map(({ from }) => from),
    parts,
  );
  const followed = await follow(
    links.filter(({ from }) => sources.has(from.id)),
    parts,
  );
  const toItself = (own?.document?.links ?? []).filter(({ name }) => name === "");
  const self = toItself.map((link): FollowedLink => ({
    from: names,
    link,
    target: resolveLink(link, placeOf(names, parts), []),
  }));
  return inOrder(
    [...followed, ...self].filter(
      ({ target }) => target.state !== "unresolved" && target.id === id,
    ),
  );
}

/** Returns what a name means that a person has written, as if it were a wiki link in no document. */
export async function linkNamed(name: string, parts: LinkParts): Promise<LinkTarget> {
  const link = linkWith(name);
  if (link.name === "") return { state: "unresolved" };
  const [followed] = await follow([{ from: nowhere, index: 0, link }], parts);
  return followed?.target ?? { state: "unresolved" };
}

/** Returns such a link. */
export function linkWritten(name: string): FollowedLink {
  return { from: nowhere, link: linkWith(name), target: { state: "unresolved" } };
}

/** Returns what such a name means among some objects, which need not be in the index yet. */
export function linkAmong(
  name: string,
  candidates: readonly IndexedNames[],
  workspace: string,
): LinkTarget {
  const link = linkWith(name);
  if (link.name === "") return { state: "unresolved" };
  const keys = new Set(linkKeys(link));
  const some = candidates.filter((one) => objectKeys(one.id, one).some((key) => keys.has(key)));
  return resolveLink(link, { ...nowhere, workspace }, some);
}

/** The place of a link that is in no document. */
const nowhere = { id: "" as ObjectId, aliases: [] };

function linkWith(name: string): ParsedLink {
  const [text = "", ...headings] = name.split("#");
  const heading = headings.join("#");
  return {
    path: "content",
    range: [0, 0],
    syntax: "wiki",
    raw: name,
    name: text,
    ...(heading === "" ? {} : { heading }),
  };
}

/** Follows links of any documents. Each name is looked up once. */
async function follow(
  links: readonly IndexedLink[],
  parts: LinkParts,
): Promise<readonly FollowedLink[]> {
  const { store, parser } = parts;
  const keys = [...new Set(links.flatMap(({ link }) => linkKeys(link)))];
  const byKey = new Map<string, IndexedNames[]>();
  const named = keys.length === 0 ? [] : await store.documents.named(parser.name, keys);
  const all = [...named, ...(await unindexed(keys, named, store))];
  const within = await reachedOf(all, parts);
  for (const names of all.filter(({ id }) => within.has(id))) {
    for (const key of objectKeys(names.id, names))
      byKey.set(key, [...(byKey.get(key) ?? []), names]);
  }
  return links.map(({ from, link }) => {
    const candidates = [...new Set(linkKeys(link).flatMap((key) => byKey.get(key) ?? []))];
    return { from, link, target: resolveLink(link, placeOf(from, parts), candidates) };
  });
}

/** Returns the objects whose id is a key but which are not in the index: tool calls and chats have no other name. */
async function unindexed(
  keys: readonly string[],
  named: readonly IndexedNames[],
  store: ObjectStore,
): Promise<readonly IndexedNames[]> {
  const known = new Set<string>(named.map(({ id }) => id));
  const ids = keys.filter((key) => looksLikeId(key) && !known.has(key)) as ObjectId[];
  if (ids.length === 0) return [];
  const stored = await store.describe(ids);
  return stored.flatMap((one) =>
    one === undefined ? [] : [{ id: one.body.id, aliases: [] as readonly string[] }],
  );
}

/** Returns those of some objects that links can mean. */
async function reachedOf(
  objects: readonly IndexedNames[],
  { among }: LinkParts,
): Promise<ReadonlySet<ObjectId>> {
  const ids = [...new Set(objects.map(({ id }) => id))];
  return among === undefined || ids.length === 0 ? new Set(ids) : await among(ids);
}

function looksLikeId(key: string): boolean {
  return /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/u.test(key);
}

function placeOf({ id, path }: IndexedNames, { workspace }: LinkParts): LinkPlace {
  return { id, path, workspace };
}

async function entriesOf(
  ids: readonly ObjectId[],
  { store, parser }: LinkParts,
): Promise<readonly IndexedObject[]> {
  const entries = await store.documents.entries(parser.name, ids);
  return entries.filter((entry) => entry !== undefined);
}

function inOrder(links: readonly FollowedLink[]): readonly FollowedLink[] {
  return links.toSorted(
    (one, other) =>
      compareText(one.from.id, other.from.id) || one.link.range[0] - other.link.range[0],
  );
}
