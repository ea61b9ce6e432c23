import {
  defined,
  type DocumentParser,
  type IndexedObject,
  type IndexEntry,
  type ObjectBody,
  type ObjectId,
  type ObjectMetadata,
  type ObjectStore,
  type ParsedDocument,
  type StoredMetadata,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";

import { undamaged } from "./undamaged.ts";
import { linkKeys, objectKeys, tagKey } from "./name-keys.ts";

/** Number of versions that are looked at in one step. */
const versionsAtOnce = 500;

/** Characters of contents that are read in one step, so that a step ends soon. */
const charactersAtOnce = 2_000_000;

/**
 * Versions without a document after which the position is kept nevertheless. Until then it is not, because a commit for
 * each call would cost more than reading their metadata again after a restart.
 */
const mostUnkept = 1_000;

/** Whether an update continues with its next step. It can wait, so that other work comes in between. */
export type MayContinue = () => boolean | Promise<boolean>;

/** Where an update begins, and whether it continues. */
export interface UpdateOptions {
  /** The position that an earlier update reached. Default: the position that is kept. */
  readonly from?: string | undefined;
  /** The number of versions before `from` since the position was kept last. Default: 0. */
  readonly unkept?: number;
  /** Asked before each step. Default: always. */
  readonly mayContinue?: MayContinue;
  /** Called after each step with the number of versions that are not read yet. Default: they are not counted. */
  readonly onLeft?: (left: number) => void;
}

/** How far an update came. */
export interface UpdateOutcome {
  /** True if versions remain that the index does not have yet. */
  readonly isBehind: boolean;
  /** The number of documents or texts that were added. */
  readonly added: number;
  /** The position that was reached; undefined for a store without versions. */
  readonly position: string | undefined;
}

/**
 * Brings the document index up to date with the versions of a store, in steps. Each step is kept, so an update that is
 * interrupted continues later.
 */
export async function updateIndex(
  store: ObjectStore,
  parser: DocumentParser,
  { from, unkept: before = 0, mayContinue = () => true, onLeft }: UpdateOptions = {},
): Promise<IndexOutcome> {
  let position = from ?? (await store.documents.position(parser.name));
  let added = 0;
  let unkept = before;
  let isContinued = from !== undefined;
  for (;;) {
    if (!(await mayContinue())) {
      // Without this, a reader with little time would read the same versions again each time.
      if (unkept > before && !isContinued && position !== undefined) {
        await store.documents.keep(parser.name, [], position);
        unkept = 0;
      }
      return { isBehind: true, added, position, unkept };
    }
    const changes = await store.changesSince(position, {
      limit: versionsAtOnce,
      counts: onLeft !== undefined,
    });
    // Versions were rewritten or removed, and the store has removed the entries.
    if (changes.restarted === true)
      return await updateIndex(store, parser, defined({ mayContinue, onLeft }));
    if (changes.versions.length === 0) return { isBehind: false, added, position, unkept };
    const changed = newestOfEach(changes.versions.filter(({ body }) => isNamed(body)));
    const entries = await entriesOf(changed, store, parser);
    unkept += changes.versions.length;
    if (entries.length > 0 || unkept >= mostUnkept) {
      // A program with another parser can have replaced the index since; then it lacks all before this position.
      if (isContinued && (await store.documents.position(parser.name)) === undefined)
        return await updateIndex(store, parser, defined({ mayContinue, onLeft }));
      isContinued = false;
      await store.documents.keep(parser.name, entries, changes.position);
      unkept = 0;
    }
    added += entries.filter(({ document }) => document !== undefined).length;
    position = changes.position;
    onLeft?.(changes.left ?? 0);
  }
}

/** How far an update of the document index came. */
export interface IndexOutcome extends UpdateOutcome {
  /** The number of versions since the position was kept last. */
  readonly unkept: number;
}

/** Whether objects can be called by more than their id, or say something about others. */
function isNamed(body: ObjectMetadata): boolean {
  return body.nickname !== undefined || body.type === "file" || isDocument(body);
}

/** The fields by which objects are documents: notes, and Markdown files. */
export const documentKinds = [{ type: "note" }, { type: "file", file_type: "markdown" }] as const;

/** Whether the content of an object is parsed (decision D60). */
export function isDocument(body: ObjectMetadata | ObjectBody): boolean {
  return documentKinds.some((kind) =>
    Object.entries(kind).every(([field, value]) => body[field] === value),
  );
}

function newestOfEach(versions: readonly StoredMetadata[]): readonly StoredMetadata[] {
  return [...new Map(versions.map((version) => [version.body.id, version])).values()];
}

async function entriesOf(
  changed: readonly StoredMetadata[],
  store: ObjectStore,
  parser: DocumentParser,
): Promise<readonly IndexEntry[]> {
  const ids = changed.map(({ body }) => body.id);
  const kept = await store.documents.entries(parser.name, ids);
  const entries: IndexEntry[] = [];
  let unread: StoredMetadata[] = [];
  let characters = 0;
  const readContents = async (): Promise<void> => {
    const documents = await documentsOf(unread, store, parser);
    for (const stored of unread) entries.push(entryOf(stored, documents.get(stored.body.id)));
    unread = [];
    characters = 0;
  };
  for (const [index, stored] of changed.entries()) {
    const former = kept[index];
    if (!isDocument(stored.body)) entries.push(entryOf(stored, undefined));
    // Another name of the same content, for example of a file that was moved, needs no parsing.
    else if (isSameContent(former, stored)) entries.push(entryOf(stored, former?.document));
    else {
      unread.push(stored);
      characters += Number(stored.body["char_count"] ?? 0);
      if (characters > charactersAtOnce) await readContents();
    }
  }
  await readContents();
  return entries;
}

function isSameContent(former: IndexedObject | undefined, stored: StoredMetadata): boolean {
  return former?.document !== undefined && former.contentHash === stored.hashes.content_hash;
}

async function documentsOf(
  unread: readonly StoredMetadata[],
  store: ObjectStore,
  parser: DocumentParser,
): Promise<ReadonlyMap<ObjectId, ParsedDocument>> {
  const documents = new Map<ObjectId, ParsedDocument>();
  const contents = await contentsOf(unread, store);
  for (const [index, { body, version }] of unread.entries()) {
    // A newer version is among the changes that follow.
    const latest = contents[index];
    const stored = latest?.version === version ? latest : await undamaged(store, body.id, version);
    const content = stored?.body.content;
    if (typeof content === "string") documents.set(body.id, parser.parse(content));
  }
  return documents;
}

async function contentsOf(
  unread: readonly StoredMetadata[],
  store: ObjectStore,
): Promise<readonly (StoredVersion | undefined)[]> {
  try {
    return await store.getMany(unread.map(({ body }) => body.id));
  } catch (error) {
    // One of them is damaged. Each is read by itself.
    if (StoreError.is(error, "STORE_CORRUPT")) return [];
    throw error;
  }
}

function entryOf(stored: StoredMetadata, document: ParsedDocument | undefined): IndexEntry {
  const { body, version, hashes } = stored;
  const path = typeof body["path"] === "string" ? body["path"] : undefined;
  const names = {
    id: body.id,
    ...defined({ nickname: body.nickname, path }),
    aliases: document?.aliases ?? [],
  };
  return {
    names,
    version,
    contentHash: hashes.content_hash,
    ...defined({ document }),
    keys: {
      names: objectKeys(body.id, names),
      links: (document?.links ?? []).map(linkKeys),
      tags: tagKeys(document),
    },
  };
}

/** The tags of a document with those above them: `a/b` is also found as `a`. */
function tagKeys(document: ParsedDocument | undefined): readonly string[] {
  const keys = new Set<string>();
  for (const { tag } of document?.tags ?? []) {
    const levels = tagKey(tag).split("/");
    for (let length = 1; length <= levels.length; length += 1)
      keys.add(levels.slice(0, length).join("/"));
  }
  return [...keys];
}
