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
import { joinPool, type SessionScope } from "../state/session-scope.ts";
import { refusal, type ToolAnswer } from "./answers.ts";
import { resolveTarget } from "./resolve-target.ts";

/** What is searched. At least one of words, tag, path and relation must be given. An object must meet all that are given. */
export interface FindRequest {
  /** Words of the text, of the name or of the path. */
  readonly words?: string;
  readonly type?: string;
  /** A tag of a document, with or without its number sign. `a` also finds `a/b`. */
  readonly tag?: string;
  /** A part of the path, in any case. */
  readonly path?: string;
  /** The type of a relation that a document has, alone or with a target: `part_of`, `part_of budget`. */
  readonly relation?: string;
  /** `this` for texts of this session only, or the id of another session or of its chat. */
  readonly session?: string;
  /** The greatest number of objects. Default: 10. */
  readonly limit?: number;
}

const usualLimit = 10;
const mostObjects = 50;

/** Characters of the contents that are read at once. */
const charactersAtOnce = 4_000_000;

/** Hits that are looked at for each object of an answer, because several can be of one object or meet no other condition. */
const hitsForEach = 8;

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
  const { words, tag, path, relation, session } = given;
  if ((words ?? tag ?? path ?? relation) === undefined)
    return refusal("nothing to find was given; give words, a tag, a path or a relation.");
  if (session !== undefined && words === undefined && (tag ?? relation) !== undefined)
    return refusal("notes belong to no session; give a session with words or a path.");
  const isCurrent = await documents.upToDate();
  const places = await placesOf(scope, documents, given);
  if (typeof places === "string") return refusal(places);
  const limit = Math.max(1, Math.min(given.limit ?? usualLimit, mostObjects));
  const found = (await described(scope, places)).filter(({ stored }) =>
    meets(scope, stored, given),
  );
  const behind = isCurrent
    ? ""
    : " The index is behind, so texts of the last calls can be missing.";
  if (found.length === 0) return output(`No object was found.${behind}`);
  const shown = found.slice(0, limit);
  const question = [words, tag, words === undefined ? path : undefined].join(" ");
  const lines: string[] = [];
  for (const some of inGroups(shown))
    lines.push(...(await linesFor(scope, documents, some, question)));
  const more = found.length > shown.length ? " Others were left out; give more words." : "";
  return output(
    `${lines.join("\n")}${more === "" && behind === "" ? "" : `\n${(more + behind).trim()}`}`,
  );
}

function output(text: string): ToolAnswer {
  return { ok: true, text, effects: [], isOutput: true };
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
): Promise<Places | string> {
  const { words, tag, path, relation } = request;
  const sets: Places[] = [];
  if (tag !== undefined) {
    const { store } = scope.dependencies;
    const ids = await store.documents.tagged(documents.parser.name, tagKey(tag));
    sets.push(ids.map((id) => ({ id })));
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
  const [first = [], ...others] = sets;
  return first.flatMap((place) => {
    const rest = others.map((set) => set.find(({ id }) => id === place.id));
    if (rest.includes(undefined)) return [];
    return [Object.assign({}, ...rest, place) as Places[number]];
  });
}

async function hitsOf(
  scope: SessionScope,
  { search }: DocumentUpkeep,
  { type, session, limit = usualLimit }: FindRequest,
  words: string,
): Promise<readonly SearchHit[] | string> {
  if (search === undefined) return "this agent has no full-text index; give a tag or a relation.";
  const chat = session === undefined ? undefined : await chatOf(scope, session);
  if (session !== undefined && chat === undefined)
    return `no session is known as ${JSON.stringify(session)}; give "this", or the id of a session.`;
  let hits: readonly SearchHit[];
  try {
    hits = await search.search({
      words,
      limit: Math.min(limit, mostObjects) * hitsForEach,
      ...(type === undefined ? {} : { type }),
      ...(chat === undefined ? {} : { session: chat }),
    });
  } catch (error) {
    // The index is derived, so its failure is none of the session.
    scope.dependencies.logger.warn("the full-text index cannot be read", { error });
    return "the full-text index cannot be read now; give a tag or a relation.";
  }
  return [...new Map(hits.toReversed().map((hit) => [hit.id, hit])).values()].toReversed();
}

/** Returns the chat of a session, by which its texts are found. */
async function chatOf(
  { state, dependencies }: SessionScope,
  session: string,
): Promise<ObjectId | undefined> {
  if (["this", "current", state.id, state.chat.id].includes(session)) return state.chat.id;
  const [stored] = isObjectId(session) ? await dependencies.store.describe([session]) : [];
  if (stored?.body.type === "chat") return stored.body.id;
  const chat = stored?.body["chat_ref"];
  return isReference(chat) ? chat.id : undefined;
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
    (link.relation ?? plainRelation) === relation;
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
    return `no object is known as ${JSON.stringify(name)}; give a relation alone, or with a handle, id, nickname or path.`;
  const id = target.type === "locked" ? target.id : idOf(target);
  const back = await backlinksOf(id, { store, parser, workspace });
  return back
    .filter(({ link }) => isRelation(link))
    .map(({ from, link }) => ({ id: from.id, offset: link.range[0] }));
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
  if (type !== undefined && body.type !== type) return false;
  // The context has its own chat already.
  if (body.id === state.chat.id && given.session === undefined) return false;
  if (path === undefined) return true;
  const own = body["path"] ?? body.provenance.origin;
  return typeof own === "string" && own.toLowerCase().includes(path.trim().toLowerCase());
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
): Promise<readonly string[]> {
  const { store } = scope.dependencies;
  const ids = found.map(({ stored }) => stored.body.id);
  const contents = await store.getMany(ids);
  const entries = await store.documents.entries(parser.name, ids);
  const lines: string[] = [];
  for (const [index, one] of found.entries()) {
    const shown = await shownLine(scope, one, contents[index], question);
    lines.push(await lineFor(scope, one.stored, shown, entries[index]));
  }
  return lines;
}

async function lineFor(
  scope: SessionScope,
  stored: StoredMetadata,
  shown: VersionLine | undefined,
  entry: IndexedObject | undefined,
): Promise<string> {
  const { body } = stored;
  const handle = body.locked ? body.id : joinPool(scope.state, stored).handle;
  const title = poolLine({ id: body.id, handle, stored }, scope.dependencies.workspace);
  if (shown === undefined) return `- ${title}`;
  const { version, text, line } = shown;
  const isVisible = await visibleLines(scope, version);
  if (!isVisible(line.line)) return `- ${title}`;
  const isSame = entry?.contentHash === version.hashes.content_hash;
  const headings = isSame ? (entry.document?.headings ?? []) : [];
  const heading = headingOf({ headings }, text, line.line);
  const isNamed = heading !== undefined && isVisible(lineAt(text, heading.range[0]).line);
  const section = isNamed ? ` #${oneLine(heading.text)}` : "";
  const earlier = version.version === stored.version ? "" : ` v${version.version}`;
  return `- ${title},${earlier} line ${line.line}${section}: ${line.text}`;
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
