import {
  compareText,
  everyItem,
  diskState,
  type FileSource,
  type IdSource,
  type ObjectStore,
  presenceOf,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { firstMadeAt, isFileLike } from "./file-at.ts";
import { afterNaming, afterRead } from "./next-version.ts";
import { inParallel, tryRead } from "./read-files.ts";
import { type Draft, isWhole, storeDrafts } from "./store-drafts.ts";
import { isInside, needsExplicitRead } from "./workspace-rule.ts";

/** What the functions for many files need. */
export interface StoreFilesParts {
  readonly store: ObjectStore;
  readonly files: FileSource;
  readonly ids: IdSource;
}

/** A file that was not read, with the reason as a sentence or a part of one. */
export interface UnreadFile {
  readonly path: string;
  readonly reason: string;
}

/** The result of `storeFiles`. */
export interface StoredFiles {
  /** The number of files that have their first version with content. */
  readonly added: number;
  /** The number of known files whose content is another one. */
  readonly changed: number;
  readonly unread: readonly UnreadFile[];
}

/** The most files, and the most bytes of them, whose contents are in memory at once and in one transaction. */
const mostAtOnce = { files: 200, bytes: 16 * 1024 * 1024 };

/**
 * Returns the objects of the files that are in a folder, or that were there last, with those paths. The folder is a real
 * path.
 */
export async function filesOfFolder(
  store: ObjectStore,
  folder: string,
): Promise<ReadonlyMap<string, StoredMetadata>> {
  const present = new Map<string, StoredMetadata>();
  const missing = new Map<string, StoredMetadata>();
  for (const type of ["file", "note"]) {
    const query = { where: { type }, limit: 500 };
    for await (const stored of everyItem(async (page) => await store.find({ ...query, ...page }))) {
      const { path, provenance } = stored.body;
      const place = typeof path === "string" ? path : provenance.origin;
      if (!isFileLike(stored.body) || !isInside(place, folder)) continue;
      if (typeof path !== "string") missing.set(place, stored);
      else if (!present.has(place)) present.set(place, stored);
    }
  }
  return new Map([...missing, ...present]);
}

/**
 * Stores the contents of files, as a `read` of each would. A file with the size and the time of its stored content is not
 * read. `known`: the objects of the files that have one, by path. `root`: files outside this folder, and those whose
 * names suggest secrets, are not read. All paths are real paths. Rejects with `StoreError`.
 */
export async function storeFiles(
  paths: readonly string[],
  known: ReadonlyMap<string, StoredMetadata>,
  root: string,
  parts: StoreFilesParts,
  progress: (done: number) => void = () => {},
): Promise<StoredFiles> {
  const { files, store } = parts;
  const outcome = { added: 0, changed: 0, unread: [] as UnreadFile[] };
  for (let start = 0; start < paths.length; start += mostAtOnce.files) {
    const chunk = paths.slice(start, start + mostAtOnce.files);
    const wanted: Wanted[] = [];
    await inParallel(chunk, async (path) => {
      const why = needsExplicitRead(path, root);
      const size = why === undefined ? await sizeToRead(files, path, known.get(path)) : undefined;
      if (why !== undefined) outcome.unread.push({ path, reason: why });
      else if (size !== undefined) wanted.push({ path, size, earlier: known.get(path) });
    });
    // The order in which the disk answers must not be that of the objects.
    wanted.sort((one, other) => compareText(one.path, other.path));
    for (const group of inGroups(wanted)) {
      const { drafts, unread } = await readGroup(group, parts);
      outcome.unread.push(...unread);
      const { added, changed } = await storeGroup(store, drafts);
      outcome.added += added;
      outcome.changed += changed;
    }
    progress(start + chunk.length);
  }
  return outcome;
}

interface Wanted {
  readonly path: string;
  readonly size: number;
  readonly earlier: StoredMetadata | undefined;
}

interface FileDraft extends Draft {
  /** Whether the object has no version with content yet. */
  readonly isFirst: boolean;
}

/** Groups of files of which each fits into memory, unless it is one large file. */
function* inGroups(wanted: readonly Wanted[]): Generator<readonly Wanted[]> {
  let group: Wanted[] = [];
  let bytes = 0;
  for (const one of wanted) {
    if (group.length > 0 && bytes + one.size > mostAtOnce.bytes) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(one);
    bytes += one.size;
  }
  if (group.length > 0) yield group;
}

async function readGroup(
  group: readonly Wanted[],
  { files, ids }: StoreFilesParts,
): Promise<{ readonly drafts: readonly FileDraft[]; readonly unread: readonly UnreadFile[] }> {
  const drafts = new Map<string, FileDraft>();
  const unread: UnreadFile[] = [];
  const named = group.map((one) => ({ ...one, id: one.earlier?.body.id ?? ids.next() }));
  await inParallel(named, async ({ path, earlier, id }) => {
    const outcome = await tryRead(files, path);
    if ("reason" in outcome) unread.push({ path, reason: outcome.reason });
    if (!("file" in outcome)) return;
    const readAfter = earlier?.version ?? 0;
    const content = outcome.file;
    drafts.set(path, {
      ...afterRead(files, id, { content, readAfter, generator: "human" }),
      isFirst: earlier === undefined || !hasContent(earlier),
    });
  });
  const inOrder = group.flatMap(({ path }) => drafts.get(path) ?? []);
  return { drafts: inOrder, unread };
}

async function storeGroup(
  store: ObjectStore,
  drafts: readonly FileDraft[],
): Promise<{ readonly added: number; readonly changed: number }> {
  const latest = await storeDrafts(store, drafts);
  let added = 0;
  let changed = 0;
  for (const { id, isFirst } of drafts) {
    const stored = latest.get(id);
    if (stored === undefined || !isWhole(stored)) continue;
    if (!isFirst) changed += 1;
    // Another process can have made an object for the same path at the same time.
    else if (stored.version > 1 || (await firstMadeAt(store, stored)) === undefined) added += 1;
  }
  return { added, changed };
}

/** Stores files as named and not read, unless they have an object. The paths are real paths. */
export async function nameFiles(
  paths: readonly string[],
  { store, files, ids }: StoreFilesParts,
): Promise<number> {
  const drafts: Draft[] = [];
  for (const path of paths) {
    const facts = await files.stat(path).catch(() => undefined);
    if (facts?.kind === "file" && facts.realPath === path)
      drafts.push(afterNaming(ids.next(), facts));
  }
  let named = 0;
  for (const stored of (await storeDrafts(store, drafts)).values())
    if ((await firstMadeAt(store, stored)) === undefined) named += 1;
  return named;
}

function hasContent({ body }: StoredMetadata): boolean {
  const presence = presenceOf(body);
  return presence === "present" || presence === "non_text";
}

/** Returns the size of a file that is to be read; undefined for one that is as stored, or is no file at this path. */
async function sizeToRead(
  files: FileSource,
  path: string,
  stored: StoredMetadata | undefined,
): Promise<number | undefined> {
  const facts = await files.stat(path).catch(() => undefined);
  if (facts?.kind !== "file" || facts.realPath !== path) return undefined;
  if (stored === undefined || stored.body["path"] !== path || !hasContent(stored))
    return facts.size;
  const disk = diskState(stored.body);
  return disk?.size === facts.size && disk.modified === facts.modified ? undefined : facts.size;
}
