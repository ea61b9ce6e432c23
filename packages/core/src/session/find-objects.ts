import {
  backlinksWithRelation,
  documentKinds,
  type DocumentUpkeep,
  type FollowedLink,
  isDocument,
  linksWithRelation,
  matchingLine,
  readRelation,
  tagKey,
} from "@self-context-manager/links";
import {
  compareText,
  composed,
  defined,
  isObjectId,
  isReference,
  type ObjectId,
  oneLine,
  type SearchHit,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { cutMark } from "../render/name-width.ts";
import type { PoolRow } from "../view/pool-entry.ts";
import type { SessionScope } from "../state/session-scope.ts";
import { notFound, refusal, type ToolAnswer } from "./answers.ts";
import { type Found, foundLines } from "./found-lines.ts";
import {
  linkParts,
  listWithin,
  reached,
  versionsWithin,
  withinReach,
  workspacesOf,
} from "./reach.ts";
import { resolveTarget } from "./resolve-target.ts";

/** What is searched. At least one condition must be given, and an object must meet all that are given. */
export interface FindRequest {
  /** Words of the text, of the name or of the path. */
  readonly words?: string;
  /** The type of the object; `note` for every Markdown document. */
  readonly type?: string;
  /** A tag of a document, with or without its number sign. `a` also finds `a/b`. */
  readonly tag?: string;
  /** A part of the path, in any case. `*` stands for any text. */
  readonly path?: string;
  /** The type of a relation that a document has, alone or with a target: `part_of`, `part_of budget`. */
  readonly relation?: string;
  /** `this` for the objects that this session knows, or the id of another session or of its chat. */
  readonly session?: string;
  /** The greatest number of objects. Default: 10. */
  readonly limit?: number;
}

const usualLimit = 10;
const mostObjects = 50;

/** The objects among which the session of a chat is looked for. */
const firstReferrers = 10;

/** The number of tags that an answer names, and of documents among whose tags they are the most used. */
const mostTags = 8;
const mostTagged = 1_000;

/** The objects that are found if only a type is given. */
const mostListed = 2_000;

/** Hits that are looked at for each object of an answer, because several can be of one object or meet no other condition. */
const hitsForEach = 8;

/** The same, if most hits can be of other sessions or paths, or without the tag. */
const hitsOfFew = 100;

/** How many times as many hits are looked at if other workspaces have the first ones, and how many at most. */
const moreHits = 8;
const mostHits = 20_000;

/**
 * Finds objects within reach by words, tag, path, relation and type. The answer has one line for each: its metadata and
 * one matching line. The objects join the pool as inactive (decision D66); no content is loaded into the context. The
 * answer is an output, like that of a search of the host.
 */
export async function findObjects(scope: SessionScope, request: FindRequest): Promise<ToolAnswer> {
  const { documents } = scope.dependencies;
  if (documents === undefined) return refusal("this agent has no index, so nothing can be found.");
  const given = withoutEmpty(request);
  const { words, tag, limit = usualLimit, ...others } = given;
  if ((words ?? tag ?? Object.values(others)[0]) === undefined)
    return refusal("nothing to find was given; give words, a tag, a relation, a path or a type.");
  const isCurrent = await documents.upToDate();
  const within = given.session === undefined ? undefined : await knownIn(scope, given.session);
  if (typeof within === "string") return refusal(within);
  const all = await foundBy(scope, documents, given, within);
  if (typeof all === "string") return refusal(all);
  const found = await chatsLast(scope, all);
  const behind = isCurrent ? [] : ["The index is behind, so objects can be missing."];
  if (found.length === 0) return output([await nothingFound(scope, documents, given), ...behind]);
  const shown = withOwnChat(scope, found, Math.max(1, Math.min(limit, mostObjects)));
  const question = [words, tag].filter((part) => part !== undefined).join(" ");
  const lines = await foundLines(scope, documents, shown, question);
  const left = found.length - shown.length;
  return output([
    ...lines.map(({ text }) => text),
    ...(lines.some(({ isHidden }) => isHidden)
      ? [`Of files without a line, the text is shown by ${scope.readTool} only.`]
      : []),
    ...(left > 0 ? [`${left} more; other words, a tag, a path or a type find fewer.`] : []),
    ...behind,
  ]);
}

/** Returns the first of the objects that were found. The session's own chat is one of them, if it was found. */
function withOwnChat(
  { state }: SessionScope,
  found: readonly Found[],
  count: number,
): readonly Found[] {
  const shown = found.slice(0, count);
  const own = found.slice(count).find(({ stored }) => stored.body.id === state.chat.id);
  return own === undefined || count === 1 ? shown : [...shown.slice(0, -1), own];
}

/** Says that nothing was found. For an unknown tag it names those that there are. */
async function nothingFound(
  scope: SessionScope,
  { parser }: DocumentUpkeep,
  { tag }: FindRequest,
): Promise<string> {
  const { store } = scope.dependencies;
  const where = scope.findIn === "store" ? "agents of this store" : "agents of this workspace";
  const nothing = `No object was found among what ${where} have read or written.`;
  if (tag === undefined) return nothing;
  const key = tagKey(tag);
  const tagged = await store.describe(await store.documents.tagged(parser.name, key));
  const stored = tagged.filter((one) => one !== undefined);
  if ((await reached(scope, stored)).size > 0) return nothing;
  const documents = await listWithin(scope, documentKinds, mostTagged);
  const ids = documents.map(({ body }) => body.id);
  const entries = await store.documents.entries(parser.name, ids);
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const tags = new Set((entry?.document?.tags ?? []).map((one) => tagKey(one.tag)));
    for (const one of tags) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  const most = [...counts]
    .toSorted(([one, many], [other, fewer]) => fewer - many || compareText(one, other))
    .slice(0, mostTags)
    .map(([one]) => oneLine(one));
  return most.length === 0
    ? "No note has a tag."
    : `No note has the tag ${oneLine(key)}. The most used tags are ${most.join(", ")}.`;
}

function output(lines: readonly string[]): ToolAnswer {
  return { ok: true, text: lines.join("\n"), effects: [], isOutput: true };
}

function withoutEmpty(request: FindRequest): FindRequest {
  return Object.fromEntries(
    Object.entries(request).filter(([, value]) => typeof value !== "string" || value.trim() !== ""),
  );
}

/** Where objects are that meet the conditions which an index answers, best first. */
type Places = readonly {
  readonly id: ObjectId;
  readonly version?: number;
  readonly offset?: number;
}[];

/**
 * Returns the objects that meet all conditions and are within reach, best first. Texts are searched until enough such
 * objects are found: those of other workspaces can be the first ones.
 */
async function foundBy(
  scope: SessionScope,
  documents: DocumentUpkeep,
  request: FindRequest,
  within: ReadonlySet<ObjectId> | undefined,
): Promise<readonly Found[] | string> {
  const sets = await setsOf(scope, documents, request);
  if (typeof sets === "string") return sets;
  // The words of a path are in the index, too.
  const searched = request.words ?? (sets.length === 0 ? request.path : undefined);
  if (searched === undefined) {
    const ids = within ?? (await idsOfType(scope, request.type ?? ""));
    const places = inAll(sets.length === 0 ? [await newestFirst(scope, ids)] : sets);
    return (await foundAt(scope, places, request, within)).found;
  }
  const { limit = usualLimit, session, path, tag, relation } = request;
  const isNarrow = (session ?? path ?? tag ?? relation) !== undefined;
  const found = new Map<ObjectId, Found>();
  const known = new Set<string>();
  let count = Math.min(limit, mostObjects) * (isNarrow ? hitsOfFew : hitsForEach);
  for (; ; count *= moreHits) {
    const hits = await hitsOf(scope, documents, request, { words: searched, limit: count });
    if (typeof hits === "string") return hits;
    const places = inAll([hits.filter((hit) => !known.has(placeKey(hit))), ...sets]);
    const { found: more, hasOthers } = await foundAt(scope, places, request, within);
    for (const one of more) if (!found.has(one.stored.body.id)) found.set(one.stored.body.id, one);
    const isEnough = !hasOthers || found.size >= limit || hits.length < count || count >= mostHits;
    if (isEnough) return [...found.values()];
    for (const hit of hits) known.add(placeKey(hit));
  }
}

/** Returns the objects with the tag, and those with the relation. A text says what is wrong. */
async function setsOf(
  scope: SessionScope,
  documents: DocumentUpkeep,
  { tag, relation }: FindRequest,
): Promise<readonly Places[] | string> {
  const sets: Places[] = [];
  if (tag !== undefined) {
    const { store } = scope.dependencies;
    const ids = await store.documents.tagged(documents.parser.name, tagKey(tag));
    sets.push(await newestFirst(scope, ids));
  }
  if (relation !== undefined) {
    const related = await relatedPlaces(scope, documents, relation);
    if (typeof related === "string") return related;
    sets.push(related);
  }
  return sets;
}

/** Returns the places of the first set whose objects are in all sets. */
function inAll([first = [], ...others]: readonly Places[]): Places {
  return first.flatMap((place) => {
    const rest = others.map((set) => set.find(({ id }) => id === place.id));
    if (rest.includes(undefined)) return [];
    return [Object.assign({}, ...rest, place) as Places[number]];
  });
}

function versionKey(id: ObjectId, version: number): string {
  return `${id} ${version}`;
}

function placeKey({ id, version, place }: SearchHit): string {
  return `${id} ${version} ${place}`;
}

/** Returns the objects at places that meet the conditions, and whether one was left out because it is out of reach. */
async function foundAt(
  scope: SessionScope,
  places: Places,
  request: FindRequest,
  within: ReadonlySet<ObjectId> | undefined,
): Promise<{ readonly found: readonly Found[]; readonly hasOthers: boolean }> {
  const all = (await described(scope, places)).filter(
    ({ stored }) => within?.has(stored.body.id) !== false && meets(stored, request),
  );
  const objects = new Map(all.map(({ stored }) => [stored.body.id, stored]));
  const ids = await reached(scope, [...objects.values()]);
  const near = all.filter(({ stored }) => ids.has(stored.body.id));
  const found = await ofVersionsWithin(scope, near, request.words ?? request.path ?? "");
  return { found, hasOthers: found.length < all.length };
}

/**
 * Returns what was found with versions that are within reach. The index has a text with the version that brought it: if that
 * version is out of reach, the words must be in the newest one.
 */
async function ofVersionsWithin(
  scope: SessionScope,
  found: readonly Found[],
  words: string,
): Promise<readonly Found[]> {
  const { store } = scope.dependencies;
  const earlier = found.filter(({ stored, version }) => version !== stored.version);
  if (scope.findIn === "store" || earlier.length === 0) return found;
  const versions = await Promise.all(
    earlier.map(async ({ stored: { body }, version }) => {
      return await store.history(body.id, { after: version - 1, limit: 1 });
    }),
  );
  const within = await versionsWithin(scope, versions.flat());
  const keys = new Set(within.map(({ body, version }) => versionKey(body.id, version)));
  const kept: Found[] = [];
  for (const one of found) {
    const { stored, version } = one;
    if (version === stored.version || keys.has(versionKey(stored.body.id, version))) kept.push(one);
    else if (await hasWords(scope, stored, words)) kept.push({ stored, version: stored.version });
  }
  return kept;
}

/** Whether the newest version of an object has words in its text or in its path. */
async function hasWords(
  { dependencies: { store } }: SessionScope,
  { body: { id } }: StoredMetadata,
  words: string,
): Promise<boolean> {
  const body = (await store.get(id))?.body;
  const path = typeof body?.["path"] === "string" ? body["path"] : "";
  return matchingLine(`${path}\n${body?.content ?? ""}`, words) !== undefined;
}

/** Returns the objects that a session knows, and its chat. A text says that there is no such session. */
async function knownIn(
  scope: SessionScope,
  session: string,
): Promise<ReadonlySet<ObjectId> | string> {
  const { state, dependencies } = scope;
  const { store } = dependencies;
  if (["this", "current", state.id, state.chat.id].includes(session))
    return new Set([...state.pool.entries.keys(), state.chat.id]);
  const id = isObjectId(session) ? session : undefined;
  const [stored] = id === undefined ? [] : await store.describe([id]);
  const chat = stored?.body.type === "chat" ? stored.body.id : undefined;
  const found = chat === undefined ? stored : await sessionOf(scope, chat);
  const [near] = found?.body.type === "session" ? await withinReach(scope, [found]) : [];
  const whole = near === undefined ? undefined : await store.get(near.body.id);
  if (whole === undefined)
    return `no session is known as ${JSON.stringify(session)}; give "this", or the id of a session.`;
  const { pool, chat_ref: chatRef } = whole.body;
  const rows = Array.isArray(pool) ? (pool as readonly PoolRow[]) : [];
  return new Set([...rows.map((row) => row.id), ...(isReference(chatRef) ? [chatRef.id] : [])]);
}

/** Returns the session of a chat. It is stored together with the chat, so it is among the first that refer to it. */
async function sessionOf(
  { dependencies: { store } }: SessionScope,
  chat: ObjectId,
): Promise<StoredMetadata | undefined> {
  const { items } = await store.referrers(chat, { limit: firstReferrers });
  const first = await store.describe(items.map(({ id }) => id));
  return first.find((one) => one?.body.type === "session");
}

/** Returns the objects of a type that are within reach. */
async function idsOfType(scope: SessionScope, type: string): Promise<readonly ObjectId[]> {
  const kinds = type === "note" ? documentKinds : [{ type }];
  return (await listWithin(scope, kinds, mostListed)).map(({ body }) => body.id);
}

/** Returns objects in the order of their last change, the newest first. */
async function newestFirst(
  { dependencies: { store } }: SessionScope,
  ids: Iterable<ObjectId>,
): Promise<Places> {
  const stored = await store.describe([...ids]);
  return stored
    .filter((one) => one !== undefined)
    .toSorted((one, other) => other.at.tx_id - one.at.tx_id)
    .map(({ body }) => ({ id: body.id }));
}

async function hitsOf(
  scope: SessionScope,
  { search }: DocumentUpkeep,
  { type }: FindRequest,
  query: { readonly words: string; readonly limit: number },
): Promise<readonly SearchHit[] | string> {
  if (search === undefined) return "this agent has no full-text index; give a tag or a relation.";
  try {
    return await search.search({
      ...query,
      ...(type === undefined || type === "note" ? {} : { type }),
    });
  } catch (error) {
    // The index is derived, so its failure is none of the session.
    scope.dependencies.logger.warn("the full-text index cannot be read", { error });
    return "the full-text index cannot be read now; give a tag or a relation.";
  }
}

/** Returns the documents that have a relation, to a target if one is given. */
async function relatedPlaces(
  scope: SessionScope,
  { parser }: DocumentUpkeep,
  given: string,
): Promise<Places | string> {
  const parts = linkParts(scope, parser);
  const { relation, name } = readRelation(given);
  if (name === undefined) return (await linksWithRelation(relation, parts)).map(placeOf);
  const target = await resolveTarget(scope, name);
  if (target.type === "unknown" || target.type === "ambiguous")
    return notFound(scope, name, target).text;
  const id = target.type === "locked" ? target.id : idOf(target);
  return (await backlinksWithRelation(id, relation, parts)).map(placeOf);
}

function placeOf({ from, link }: Pick<FollowedLink, "from" | "link">): Places[number] {
  return { id: from.id, offset: link.range[0] };
}

function idOf(
  target: Extract<Awaited<ReturnType<typeof resolveTarget>>, { type: "known" | "elsewhere" }>,
): ObjectId {
  return target.type === "known" ? target.entry.id : target.stored.body.id;
}

async function described(scope: SessionScope, places: Places): Promise<readonly Found[]> {
  const { store } = scope.dependencies;
  const stored = await store.describe(places.map(({ id }) => id));
  return places.flatMap(({ version, offset }, index): readonly Found[] => {
    const latest = stored[index];
    if (latest === undefined) return [];
    return [{ stored: latest, version: version ?? latest.version, ...defined({ offset }) }];
  });
}

/**
 * Returns what was found with the chats behind the other objects, because a long chat has many words: first the session's
 * own, then those of the same workspace. Other chats cannot be opened, so they are not found (decision D72).
 */
async function chatsLast(scope: SessionScope, found: readonly Found[]): Promise<readonly Found[]> {
  const chats = found.filter(({ stored }) => stored.body.type === "chat");
  if (chats.length === 0) return found;
  const { chat } = scope.state;
  const others = chats.filter(({ stored }) => stored.body.id !== chat.id);
  const workspaces = await workspacesOf(
    scope,
    others.map(({ stored }) => stored),
  );
  return [
    ...found.filter(({ stored }) => stored.body.type !== "chat"),
    ...chats.filter(({ stored }) => stored.body.id === chat.id),
    ...others.filter(
      ({ stored }) => workspaces.get(stored.body.id) === scope.dependencies.workspace,
    ),
  ];
}

function meets({ body }: StoredMetadata, given: FindRequest): boolean {
  const { type, path } = given;
  if (type !== undefined && !(type === "note" ? isDocument(body) : body.type === type))
    return false;
  // The file has the text that such a call wrote.
  const isWrite = body["call_kind"] === "write" || body["call_kind"] === "edit";
  if (isWrite && type !== "toolcall") return false;
  if (path === undefined) return true;
  const own = body["path"] ?? body.provenance.origin;
  if (typeof own !== "string") return false;
  const pattern = compared(path.trim());
  // A cut name is a pattern too, as its mark stands for any text.
  return [pattern, pattern.replaceAll(cutMark, "*")].some((one) => hasParts(compared(own), one));
}

function compared(path: string): string {
  return composed(path).toLowerCase();
}

/** Whether a path has the parts of a pattern between its asterisks, in their order. */
function hasParts(path: string, pattern: string): boolean {
  let from = 0;
  return pattern.split("*").every((part) => {
    const at = path.indexOf(part, from);
    from = at + part.length;
    return at !== -1;
  });
}
