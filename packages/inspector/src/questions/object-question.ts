import {
  collectReferences,
  defined,
  type LocatedReference,
  type ObjectId,
  type Referrer,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { backlinksOf, type FollowedLink, linksOf } from "@self-context-manager/links";

import type { InView, NamedObject, ObjectAnswer, VersionRow } from "../answers.ts";
import { metadataLines } from "./metadata-lines.ts";
import { QuestionError } from "./question-error.ts";
import { isDamage, problemOf, type Reading, readOr } from "./reading.ts";

/** The number of references and links in each direction of which an answer has names. */
const most = 1_000;

/** An object with its versions, the calls in which it was in view, and what it is connected with. */
export async function objectAnswer(
  reading: Reading,
  id: ObjectId,
  inViewIn: () => Promise<readonly InView[]>,
): Promise<ObjectAnswer> {
  const { store } = reading;
  const problems: string[] = [];
  const head = (await reading.described([id])).get(id);
  const history = await readOr(async () => await store.history(id), [], problems);
  const newest = head ?? history.at(-1);
  if (newest === undefined) {
    if (problems.length === 0)
      throw new QuestionError("NOT_FOUND", "The store has no object with this id.");
    return { ...emptyAnswer(id), ...problemOf(problems) };
  }
  const whole = await newestReadable(reading, id, newest, problems);
  const out = whole === undefined ? [] : collectReferences(whole.body);
  const into = await readOr(async () => await referrersOf(reading, id), [], problems);
  const { links, backlinks } = await linksAround(reading, newest, problems);
  if (out.length > most || into.length > most)
    problems.push(`only the first ${most} references in each direction are listed`);
  const names = await reading.described([
    ...out.slice(0, most).map(({ reference }) => reference.id),
    ...into.slice(0, most).map((referrer) => referrer.id),
    ...links.flatMap(({ target }) => (target.state === "unresolved" ? [] : [target.id])),
    ...backlinks.map(({ from }) => from.id),
  ]);
  const named = (other: ObjectId): NamedObject => reading.named(other, names.get(other));
  const inView = await readOr(inViewIn, [], problems);
  const { nickname } = newest.body;
  return {
    ...reading.named(id, newest),
    version: whole?.version ?? newest.version,
    ...defined({ nickname }),
    metadata: metadataLines(newest.body),
    versions: history.map(versionRow),
    inView,
    references: out.slice(0, most).map(({ path, reference }) => ({ ...named(reference.id), path })),
    referrers: into.slice(0, most).map(({ id: from, path }) => ({ ...named(from), path })),
    links: links.map(({ link, target }) => ({
      text: link.syntax === "wiki" ? `[[${link.raw}]]` : link.raw,
      ...defined({ relation: link.relation }),
      ...(target.state === "unresolved" ? {} : { to: named(target.id) }),
      ...(target.state === "ambiguous" ? { isAmbiguous: true } : {}),
    })),
    backlinks: backlinks.map(({ from, link }) => ({
      ...named(from.id),
      ...defined({ relation: link.relation }),
    })),
    ...problemOf(problems),
  };
}

function emptyAnswer(id: ObjectId): ObjectAnswer {
  return {
    id,
    type: "",
    name: id,
    version: 0,
    metadata: [],
    versions: [],
    inView: [],
    references: [],
    referrers: [],
    links: [],
    backlinks: [],
  };
}

/** The number of versions that are tried to find one that can be read. */
const mostTried = 10;

async function newestReadable(
  { store }: Reading,
  id: ObjectId,
  newest: StoredMetadata,
  problems: string[],
): Promise<StoredVersion | undefined> {
  const last = Math.max(1, newest.version - mostTried + 1);
  for (let version = newest.version; version >= last; version -= 1) {
    const stored = await readOr(async () => await store.get(id, { version }), undefined, problems);
    if (stored !== undefined) return stored;
  }
  return undefined;
}

/** Returns the references to an object in latest versions, and one more than an answer lists if there are more. */
async function referrersOf({ store }: Reading, id: ObjectId): Promise<readonly Referrer[]> {
  const found: Referrer[] = [];
  let after: string | undefined;
  do {
    const page = await store.referrers(id, defined({ after }));
    found.push(...page.items);
    after = page.next;
  } while (after !== undefined && found.length <= most);
  return found;
}

async function linksAround(
  reading: Reading,
  object: StoredMetadata,
  problems: string[],
): Promise<{
  readonly links: readonly FollowedLink[];
  readonly backlinks: readonly FollowedLink[];
}> {
  const { store, parser } = reading;
  if (parser === undefined) return { links: [], backlinks: [] };
  await reading.updateLinks();
  const { id } = object.body;
  const parts = { store, parser, workspace: reading.folderOf(object) };
  return {
    links: (await readOr(async () => await linksOf([id], parts), [], problems)).slice(0, most),
    backlinks: (await readOr(async () => await backlinksOf(id, parts), [], problems)).slice(
      0,
      most,
    ),
  };
}

function versionRow({ version, at, body, hashes }: StoredMetadata): VersionRow {
  const characters = body["char_count"];
  return {
    version,
    at: at.tx_time,
    transaction: at.tx_id,
    generator: body.provenance.generator,
    ...(typeof characters === "number" ? { characters } : {}),
    contentHash: hashes.content_hash,
    metadataViewHash: hashes.metadata_view_hash,
    objectHash: hashes.object_hash,
  };
}

/** The references in the latest versions of objects; objects that cannot be read have none. */
export async function referencesOf(
  reading: Reading,
  ids: readonly ObjectId[],
): Promise<ReadonlyMap<ObjectId, readonly LocatedReference[]>> {
  const contents = await reading.contents(ids);
  return new Map([...contents].map(([id, { body }]) => [id, collectReferences(body)]));
}

/** The references to an object, at most a number of them; none if they cannot be read. */
export async function someReferrersOf(
  { store }: Reading,
  id: ObjectId,
  limit: number,
): Promise<{ readonly referrers: readonly Referrer[]; readonly isCut: boolean }> {
  try {
    const page = await store.referrers(id, { limit });
    return { referrers: page.items, isCut: page.next !== undefined };
  } catch (error) {
    if (isDamage(error)) return { referrers: [], isCut: true };
    throw error;
  }
}
