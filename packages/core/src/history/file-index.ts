import {
  diskState,
  type FileContent,
  FileError,
  type FileFacts,
  metadataVersion,
  type ObjectId,
  presenceOf,
  type Provenance,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import {
  afterDeletion,
  afterNaming,
  afterRead,
  type Draft,
  fileAt,
  firstMadeAt,
  hasContentOf,
  isWhole,
  needsExplicitRead,
  type ReadContent,
  storeDrafts,
} from "@self-context-manager/tracker";
import { joinPool, type SessionScope } from "../state/session-scope.ts";
import type { PoolEntry } from "../view/pool-entry.ts";

/** The result of indexing a file. */
export interface IndexedFile {
  readonly entry: PoolEntry;
  /** The latest version. It has another content than the given one if another session stored a later content. */
  readonly stored: StoredVersion;
  readonly step: "new" | "changed" | "unchanged";
  readonly joined: boolean;
}

/** A file that was read, with the version that its object had before; undefined if it had no object. */
export interface KnownRead {
  readonly file: FileContent;
  readonly earlier: StoredMetadata | undefined;
}

/**
 * Reads a file, stores its new version if it changed, and adds it to the pool. The session is not stored. Rejects with
 * `FileError`.
 */
export async function indexFile(
  scope: SessionScope,
  path: string,
  generator: Provenance["generator"],
): Promise<IndexedFile> {
  return await indexContent(scope, await readKnown(scope, path), { generator });
}

/**
 * Finds the object of a file and then reads the file, so that a version of another session in between is noticed.
 * Rejects with `FileError`.
 */
export async function readKnown(scope: SessionScope, path: string): Promise<KnownRead> {
  const facts = await statQuietly(scope, path);
  const before = facts === undefined ? undefined : await findFile(scope, facts.realPath);
  const file = await scope.dependencies.files.read(path);
  const isSamePath = facts?.realPath === file.realPath;
  return { file, earlier: isSamePath ? before : await findFile(scope, file.realPath) };
}

/** How a content was read. Default: after the version of `KnownRead`, by the session itself. */
export type ReadBy = Pick<ReadContent, "generator" | "isByTool"> &
  Partial<Pick<ReadContent, "readAfter">>;

/**
 * Stores the version of a file with a content, unless it is unchanged, and adds it to the pool. The latest version stays
 * unread if a tool of the host read the content and the file has another one now.
 */
export async function indexContent(
  scope: SessionScope,
  { file, earlier: found }: KnownRead,
  { generator, readAfter, isByTool = false }: ReadBy,
): Promise<IndexedFile> {
  const { files, ids } = scope.dependencies;
  const earlier = found ?? (await movedHere(scope, file.realPath));
  const known = earlier !== undefined && presenceOf(earlier.body) !== "unread";
  if (known && hasContentOf(earlier, file))
    return joined(scope, await loadVersion(scope, earlier), "unchanged");
  const id = earlier?.body.id ?? ids.next();
  const after = readAfter ?? earlier?.version ?? 0;
  const draft = afterRead(files, id, { content: file, readAfter: after, generator, isByTool });
  const stored = await storeDraft(scope, draft);
  // Another session can have made an object for the same path with other content at the same time.
  if (earlier === undefined) {
    const first = await firstMadeInstead(scope, stored);
    if (first !== undefined)
      return await indexContent(
        scope,
        { file, earlier: first },
        { generator, isByTool, readAfter: 0 },
      );
  }
  if (!isWhole(stored)) return joined(scope, await loadVersion(scope, stored), "unchanged");
  return joined(scope, stored, known ? "changed" : "new");
}

/** Stores a draft. Returns the latest version; with its content if it was made here. */
async function storeDraft(
  scope: SessionScope,
  draft: Draft,
): Promise<StoredVersion | StoredMetadata> {
  const stored = (await storeAll(scope, [draft])).get(draft.id);
  if (stored === undefined) throw new TypeError("the store returned no version for a file");
  return stored;
}

async function storeAll(
  { dependencies, state }: SessionScope,
  drafts: readonly Draft[],
): Promise<ReadonlyMap<ObjectId, StoredVersion | StoredMetadata>> {
  const latest = await storeDrafts(dependencies.store, drafts);
  for (const stored of latest.values()) if (isWhole(stored)) state.noteTransaction(stored.at.tx_id);
  return latest;
}

/** Returns the new version of a known file that was moved to a path without an object; undefined if there is none. */
async function movedHere(
  scope: SessionScope,
  realPath: string,
): Promise<StoredMetadata | undefined> {
  const id = await scope.dependencies.tracker?.adopt(realPath);
  if (id === undefined) return undefined;
  const [stored] = await scope.dependencies.store.describe([id]);
  return stored;
}

function joined(
  scope: SessionScope,
  stored: StoredVersion,
  step: IndexedFile["step"],
): IndexedFile {
  const { state } = scope;
  const wasKnown = state.pool.has(stored.body.id);
  const entry = joinPool(state, metadataVersion(stored));
  return { entry, stored, step, joined: !wasKnown };
}

async function loadVersion(scope: SessionScope, stored: StoredMetadata): Promise<StoredVersion> {
  const held = scope.contents.get(stored.body.id);
  if (held !== undefined && held.version === stored.version) return held;
  const loaded = await scope.dependencies.store.get(stored.body.id, { version: stored.version });
  if (loaded === undefined) throw new TypeError(`object ${stored.body.id} is not in the store`);
  return loaded;
}

/** Returns the object of a file by its real path, or that of a file that was deleted there (decision D56). */
export async function findFile(
  { dependencies }: SessionScope,
  realPath: string,
): Promise<StoredMetadata | undefined> {
  return await fileAt(dependencies.store, realPath);
}

async function firstMadeInstead(
  { dependencies, state }: SessionScope,
  made: StoredMetadata | StoredVersion,
): Promise<StoredMetadata | undefined> {
  const instead = await firstMadeAt(dependencies.store, made);
  if (instead?.double !== undefined) state.noteTransaction(instead.double.at.tx_id);
  return instead?.first;
}

/**
 * Adds files that were only named to the pool, as inactive and unread. Paths without a regular file are ignored. The
 * session is not stored.
 */
export async function indexNamed(
  scope: SessionScope,
  paths: readonly string[],
): Promise<readonly PoolEntry[]> {
  const stored = await storeNamed(scope, paths);
  return [...stored.values()].map((one) => joinPool(scope.state, one));
}

/**
 * Stores files that were only named, as unread, and returns all with their latest versions, by real path: the known ones
 * first. Paths without a regular file are ignored.
 */
export async function storeNamed(
  scope: SessionScope,
  paths: readonly string[],
): Promise<ReadonlyMap<string, StoredMetadata>> {
  const { files, ids, workspace } = scope.dependencies;
  const drafts = new Map<string, Draft>();
  const found = new Map<string, StoredMetadata>();
  for (const path of new Set(paths)) {
    const facts = await statQuietly(scope, files.resolve(path, workspace));
    if (facts?.kind !== "file" || drafts.has(facts.realPath) || found.has(facts.realPath)) continue;
    const earlier = await findFile(scope, facts.realPath);
    if (earlier !== undefined && presenceOf(earlier.body) !== "missing")
      found.set(facts.realPath, earlier);
    else drafts.set(facts.realPath, afterNaming(earlier?.body.id ?? ids.next(), facts));
  }
  if (drafts.size === 0) return found;
  const made = await storeAll(scope, [...drafts.values()]);
  for (const [realPath, { id }] of drafts) {
    const stored = made.get(id);
    if (stored === undefined) continue;
    const first = stored.version === 1 ? await firstMadeInstead(scope, stored) : undefined;
    found.set(realPath, first ?? asMetadata(stored));
  }
  return found;
}

/**
 * Returns known files with the versions that they have after a tool of the host has run, so that its call can refer to what
 * it changed (§24.2). A change is found by the tracker, and without one by the state of the disk.
 */
export async function afterTool(
  scope: SessionScope,
  entries: readonly PoolEntry[],
): Promise<readonly PoolEntry[]> {
  const { tracker } = scope.dependencies;
  const paths = entries.flatMap(({ stored: { body } }) =>
    presenceOf(body) === "present" && typeof body["path"] === "string" ? [body["path"]] : [],
  );
  if (paths.length === 0) return entries;
  if (tracker === undefined) {
    const { workspace } = scope.dependencies;
    const root = (await statQuietly(scope, workspace))?.realPath ?? workspace;
    for (const path of paths) await indexIfChanged(scope, path, root);
    return entries.map((entry) => scope.state.pool.get(entry.id) ?? entry);
  }
  await tracker.check(paths);
  const newest = await scope.dependencies.store.describe(entries.map(({ id }) => id));
  return entries.map((entry, index) => {
    const stored = newest[index];
    return stored === undefined ? entry : joinPool(scope.state, stored);
  });
}

async function indexIfChanged(scope: SessionScope, path: string, root: string): Promise<void> {
  const facts = await statQuietly(scope, path);
  const earlier = await findFile(scope, path);
  const disk = earlier === undefined ? undefined : diskState(earlier.body);
  if (facts === undefined || disk === undefined) return;
  if (facts.size === disk.size && facts.modified === disk.modified) return;
  if (needsExplicitRead(facts.realPath, root) !== undefined) return;
  try {
    await indexFile(scope, path, "human");
  } catch (error) {
    // The tool has run; a file that cannot be read now keeps its last version.
    if (!FileError.is(error)) throw error;
  }
}

async function statQuietly(scope: SessionScope, path: string): Promise<FileFacts | undefined> {
  try {
    return await scope.dependencies.files.stat(path);
  } catch (error) {
    // A file that cannot be examined is treated as not named. A `read` of its path gives the reason.
    if (FileError.is(error)) return undefined;
    throw error;
  }
}

/**
 * Records that a known file is missing, unless another session has found it again. The session is not stored.
 */
export async function recordMissing(scope: SessionScope, entry: PoolEntry): Promise<PoolEntry> {
  const { files } = scope.dependencies;
  const stored = await storeDraft(scope, afterDeletion(files, entry.id, entry.stored.version));
  if (presenceOf(stored.body) === "missing") scope.contents.delete(entry.id);
  return joinPool(scope.state, asMetadata(stored));
}

function asMetadata(stored: StoredVersion | StoredMetadata): StoredMetadata {
  return isWhole(stored) ? metadataVersion(stored) : stored;
}
