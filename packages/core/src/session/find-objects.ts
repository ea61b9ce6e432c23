import {
  type IndexedObject,
  isObjectId,
  isReference,
  metadataVersion,
  type ObjectId,
  oneLine,
  type SearchHit,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import type { DocumentUpkeep } from "../documents/document-upkeep.ts";
import { backlinksOf } from "../documents/follow-links.ts";
import { plainRelation } from "../documents/graph.ts";
import { lineAt, matchingLine, type ShownLine } from "../documents/matching-line.ts";
import { tagKey } from "../documents/name-keys.ts";
import { headingOf } from "../documents/sections.ts";
import { poolLine } from "../render/reference-line.ts";
import { visibleLines } from "../state/host-shown.ts";
import type { PoolRow } from "../view/pool-entry.ts";
import { joinPool, type SessionScope } from "../state/session-scope.ts";
import { notFound, refusal, type ToolAnswer } from "./answers.ts";
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

/** The number of tags that an answer names. */
const mostTags = 8;

/** The objects that are looked at if only a type is given. */
const mostListed = 2_000;

/** Characters of the contents that are read at once. */
const charactersAtOnce = 4_000_000;

/** Hits that are looked at for each object of an answer, because several can be of one object or meet no other condition. */
const hitsForEach = 8;

/** The same, if most hits can be of other sessions or paths, or without the tag. */
const hitsOfFew = 100;

/** An object that was found. */
interface Found {
  readonly stored: StoredMetadata;
  /** The version that has the words, if it is not the newest one. */
  readonly version: number;
  /** The place of the tag or of the link in the content. */
  readonly offset?: number;
}

/**
 * Finds objects of all sessions by words, tag, path, relation and type. The answer has one line for each: its metadata and
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
  const places = await placesOf(scope, documents, given, within);
  if (typeof places === "string") return refusal(places);
  const found = (await described(scope, places)).filter(
    ({ stored }) => within?.has(stored.body.id) !== false && meets(scope, stored, given),
  );
  const behind = isCurrent ? [] : ["The index is behind, so objects can be missing."];
  if (found.length === 0) return output([await nothingFound(scope, documents, given), ...behind]);
  const shown = found.slice(0, Math.max(1, Math.min(limit, mostObjects)));
  const question = [words, tag].filter((part) => part !== undefined).join(" ");
  const lines: ObjectLine[] = [];
  for (const some of inGroups(shown))
    lines.push(...(await linesFor(scope, documents, some, question)));
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

/** Says that nothing was found. For an unknown tag it names those that there are. */
async function nothingFound(
  { dependencies: { store } }: SessionScope,
  { parser }: DocumentUpkeep,
  { tag }: FindRequest,
): Promise<string> {
  const nothing = "No object was found among what agents of this store have read or written.";
  if (tag === undefined) return nothing;
  const key = tagKey(tag);
  const tags = await store.documents.tags(parser.name);
  if (tags.some((one) => one.tag === key)) return nothing;
  const most = tags
    .toSorted((one, other) => other.objects - one.objects)
    .slice(0, mostTags)
    .map((one) => one.tag);
  return most.length === 0
    ? "No note has a tag."
    : `No note has the tag ${oneLine(key)}. The most used tags are ${most.map(oneLine).join(", ")}.`;
}

function output(lines: readonly string[]): ToolAnswer {
  return { ok: true, text: lines.join("\n"), effects: [], isOutput: true };
}

function withoutEmpty(request: FindRequest): FindRequest {
  return Object.fromEntries(
    Object.entries(request).filter(([, value]) => typeof value !== "string" || value.trim() !== ""),
  );
}

/** Where objects are that meet the conditions which an index answers, best first. A text says what is wrong. */
type Places = readonly {
  readonly id: ObjectId;
  readonly version?: number;
  readonly offset?: number;
}[];

async function placesOf(
  scope: SessionScope,
  documents: DocumentUpkeep,
  request: FindRequest,
  within: ReadonlySet<ObjectId> | undefined,
): Promise<Places | string> {
  const { words, tag, path, relation } = request;
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
  // The words of a path are in the index, too.
  const searched = words ?? (sets.length === 0 ? path : undefined);
  if (searched !== undefined) {
    const hits = await hitsOf(scope, documents, request, searched);
    if (typeof hits === "string") return hits;
    sets.unshift(hits);
  }
  if (sets.length === 0)
    sets.push(await newestFirst(scope, within ?? (await idsOfType(scope, request.type ?? ""))));
  const [first = [], ...others] = sets;
  return first.flatMap((place) => {
    const rest = others.map((set) => set.find(({ id }) => id === place.id));
    if (rest.includes(undefined)) return [];
    return [Object.assign({}, ...rest, place) as Places[number]];
  });
}

/** Returns the objects that a session knows, and its chat. A text says that there is no such session. */
async function knownIn(
  { state, dependencies: { store } }: SessionScope,
  session: string,
): Promise<ReadonlySet<ObjectId> | string> {
  if (["this", "current", state.id, state.chat.id].includes(session))
    return new Set([...state.pool.entries.keys(), state.chat.id]);
  const id = isObjectId(session) ? session : undefined;
  const [stored] = id === undefined ? [] : await store.describe([id]);
  const chat = stored?.body.type === "chat" ? stored.body.id : undefined;
  const found =
    chat === undefined
      ? stored
      : (await store.find({ where: { type: "session", "chat_ref.id": chat }, limit: 1 })).items[0];
  const whole = found?.body.type === "session" ? await store.get(found.body.id) : undefined;
  if (whole === undefined)
    return `no session is known as ${JSON.stringify(session)}; give "this", or the id of a session.`;
  const { pool, chat_ref: chatRef } = whole.body;
  const rows = Array.isArray(pool) ? (pool as readonly PoolRow[]) : [];
  return new Set([...rows.map((row) => row.id), ...(isReference(chatRef) ? [chatRef.id] : [])]);
}

/** Returns the objects of a type. */
async function idsOfType(
  { dependencies: { store } }: SessionScope,
  type: string,
): Promise<readonly ObjectId[]> {
  const ids: ObjectId[] = [];
  for (const where of type === "note" ? noteKinds : [{ type }]) {
    for (let after: string | undefined; ids.length < mostListed;) {
      const page = await store.find({
        where,
        limit: 500,
        ...(after === undefined ? {} : { after }),
      });
      ids.push(...page.items.map(({ body }) => body.id));
      after = page.next;
      if (after === undefined) break;
    }
  }
  return ids;
}

/** What counts as a note: an object of this type, and every Markdown file. */
const noteKinds = [{ type: "note" }, { type: "file", file_type: "markdown" }] as const;

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
  { type, session, path, tag, relation, limit = usualLimit }: FindRequest,
  words: string,
): Promise<readonly SearchHit[] | string> {
  const isNarrow = (session ?? path ?? tag ?? relation) !== undefined;
  if (search === undefined) return "this agent has no full-text index; give a tag or a relation.";
  let hits: readonly SearchHit[];
  try {
    hits = await search.search({
      words,
      limit: Math.min(limit, mostObjects) * (isNarrow ? hitsOfFew : hitsForEach),
      ...(type === undefined || type === "note" ? {} : { type }),
    });
  } catch (error) {
    // The index is derived, so its failure is none of the session.
    scope.dependencies.logger.warn("the full-text index cannot be read", { error });
    return "the full-text index cannot be read now; give a tag or a relation.";
  }
  return [...new Map(hits.toReversed().map((hit) => [hit.id, hit])).values()].toReversed();
}

/** Returns the documents that have a relation, to a target if one is given. */
async function relatedPlaces(
  scope: SessionScope,
  { parser }: DocumentUpkeep,
  given: string,
): Promise<Places | string> {
  const { store, workspace } = scope.dependencies;
  const [, relation = "", name] = /^([^\s:]+)(?:\s*[\s:]\s*(.+))?$/su.exec(given.trim()) ?? [];
  const isRelation = (link: { readonly relation?: string }): boolean =>
    (link.relation ?? plainRelation).toLowerCase() === relation.toLowerCase();
  if (name === undefined) {
    const places: { readonly id: ObjectId; readonly offset?: number }[] = [];
    for (let after: ObjectId | undefined; ;) {
      const links = await store.documents.links(parser.name, after === undefined ? {} : { after });
      const last = links.at(-1);
      if (last === undefined) return places;
      after = last.from.id;
      for (const { from, link } of links)
        if (isRelation(link) && places.at(-1)?.id !== from.id)
          places.push({ id: from.id, offset: link.range[0] });
    }
  }
  const target = await resolveTarget(scope, name);
  if (target.type === "unknown" || target.type === "ambiguous")
    return notFound(scope, name, target).text;
  const id = target.type === "locked" ? target.id : idOf(target);
  const back = await backlinksOf(id, { store, parser, workspace });
  const places = back
    .filter(({ link }) => isRelation(link))
    .map(({ from, link }) => ({ id: from.id, offset: link.range[0] }));
  return places.filter(
    ({ id: one }, index) => places.findIndex((place) => place.id === one) === index,
  );
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
    return [
      {
        stored: latest,
        version: version ?? latest.version,
        ...(offset === undefined ? {} : { offset }),
      },
    ];
  });
}

function meets({ state }: SessionScope, { body }: StoredMetadata, given: FindRequest): boolean {
  const { type, path } = given;
  const isNote = noteKinds.some((kind) =>
    Object.entries(kind).every(([field, value]) => body[field] === value),
  );
  if (type !== undefined && !(type === "note" ? isNote : body.type === type)) return false;
  // A chat of another session cannot be opened, and the context has its own chat already.
  if (body.type === "chat" && type !== "chat" && body.id !== state.chat.id) return false;
  if (body.id === state.chat.id && given.session === undefined) return false;
  // The file has the text that such a call wrote.
  const isWrite = body["call_kind"] === "write" || body["call_kind"] === "edit";
  if (isWrite && type !== "toolcall") return false;
  if (path === undefined) return true;
  const own = body["path"] ?? body.provenance.origin;
  return typeof own === "string" && hasParts(own.toLowerCase(), path.trim().toLowerCase());
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

/** Returns objects in groups whose contents together are not too long to be read at once. */
function inGroups(found: readonly Found[]): readonly (readonly Found[])[] {
  const groups: Found[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const one of found) {
    const count = Number(one.stored.body["char_count"] ?? 0);
    characters += count;
    if (characters > charactersAtOnce) {
      groups.push([]);
      characters = count;
    }
    groups.at(-1)?.push(one);
  }
  return groups;
}

/** Returns the lines of objects. They join the pool, except records of other sessions. */
async function linesFor(
  scope: SessionScope,
  { parser }: DocumentUpkeep,
  found: readonly Found[],
  question: string,
): Promise<readonly ObjectLine[]> {
  const { store } = scope.dependencies;
  const ids = found.map(({ stored }) => stored.body.id);
  const contents = await store.getMany(ids);
  const entries = await store.documents.entries(parser.name, ids);
  const lines: ObjectLine[] = [];
  for (const [index, one] of found.entries()) {
    const shown = await shownLine(scope, one, contents[index], question);
    lines.push(await lineFor(scope, one.stored, shown, entries[index]));
  }
  return lines;
}

interface ObjectLine {
  readonly text: string;
  /** Whether the object has a line that the model may not see. */
  readonly isHidden: boolean;
}

/** The weight that a name may have here, so that paths can be given to a tool of the host. */
const nameWeight = 60;

async function lineFor(
  scope: SessionScope,
  stored: StoredMetadata,
  shown: VersionLine | undefined,
  entry: IndexedObject | undefined,
): Promise<ObjectLine> {
  const { body } = stored;
  const handle = body.locked ? body.id : joinPool(scope.state, stored).handle;
  const object = { id: body.id, handle, stored };
  const title = poolLine(object, scope.dependencies.workspace, { nameWeight });
  if (shown === undefined) return { text: `- ${title}`, isHidden: false };
  const { version, text: content, line } = shown;
  const isVisible = await visibleLines(scope, version);
  if (!isVisible(line.line)) return { text: `- ${title}`, isHidden: true };
  const isSame = entry?.contentHash === version.hashes.content_hash;
  const headings = isSame ? (entry.document?.headings ?? []) : [];
  const heading = headingOf({ headings }, content, line.line);
  const isNamed = heading !== undefined && isVisible(lineAt(content, heading.range[0]).line);
  const section = isNamed ? ` #${oneLine(heading.text)}` : "";
  const earlier = version.version === stored.version ? "" : ` v${version.version}`;
  const text = `- ${title},${earlier} line ${line.line}${section}: ${line.text}`;
  return { text, isHidden: false };
}

interface VersionLine {
  readonly version: StoredMetadata;
  readonly text: string;
  readonly line: ShownLine;
}

/**
 * Returns the line that fits, of the newest version if it has as many of the words as the one that was found. Without such a
 * line, it is the first one.
 */
async function shownLine(
  { dependencies: { store } }: SessionScope,
  { stored, version, offset }: Found,
  newest: StoredVersion | undefined,
  question: string,
): Promise<VersionLine | undefined> {
  const { id } = stored.body;
  const latest = versionText(newest);
  if (latest !== undefined && offset !== undefined)
    return { ...latest, line: lineAt(latest.text, offset) };
  const match = latest === undefined ? undefined : matchingLine(latest.text, question);
  const former =
    version === stored.version ? undefined : versionText(await store.get(id, { version }));
  const formerMatch = former === undefined ? undefined : matchingLine(former.text, question);
  if (former !== undefined && formerMatch !== undefined && formerMatch.words > (match?.words ?? 0))
    return { ...former, line: formerMatch };
  if (latest === undefined) return undefined;
  const line = match ?? matchingLine(latest.text, "");
  return line === undefined ? undefined : { ...latest, line };
}

function versionText(stored: StoredVersion | undefined): Omit<VersionLine, "line"> | undefined {
  const text = stored?.body.content;
  return stored === undefined || typeof text !== "string"
    ? undefined
    : { version: metadataVersion(stored), text };
}
