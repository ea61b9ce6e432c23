import {
  fileBody,
  type FileContent,
  FileError,
  type FileFacts,
  metadataVersion,
  missingFileBody,
  type ObjectBody,
  presenceOf,
  type Provenance,
  sha256,
  type StoredMetadata,
  type StoredVersion,
  unreadFileBody,
} from "@self-context-manager/objects";
import {
  commitObjects,
  joinPool,
  refreshEntry,
  type SessionScope,
} from "../state/session-scope.ts";
import type { PoolEntry } from "../view/pool-entry.ts";

/** The result of indexing a file. */
export interface IndexedFile {
  readonly entry: PoolEntry;
  readonly stored: StoredVersion;
  readonly step: "new" | "changed" | "unchanged";
  readonly joined: boolean;
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
  return await indexContent(scope, await scope.dependencies.files.read(path), generator);
}

/** Stores the version of a file with a content, unless it is unchanged, and adds it to the pool. */
export async function indexContent(
  scope: SessionScope,
  file: FileContent,
  generator: Provenance["generator"],
): Promise<IndexedFile> {
  const earlier = (await findFile(scope, file.realPath)) ?? (await movedHere(scope, file.realPath));
  const known = earlier !== undefined && presenceOf(earlier.body) !== "unread";
  if (known && hasSameContent(earlier, file)) {
    const stored = await loadVersion(scope, earlier);
    return joined(scope, stored, "unchanged");
  }
  const id = earlier?.body.id ?? scope.dependencies.ids.next();
  const [stored] = await commitObjects(scope, [
    { body: fileBody(id, file, generator, earlier?.body) },
  ]);
  if (stored === undefined) throw new TypeError("the store returned no version for a file");
  // Another session can have made an object for the same path with other content at the same time.
  if (earlier === undefined && (await firstMadeInstead(scope, stored)) !== undefined)
    return await indexContent(scope, file, generator);
  return joined(scope, stored, known ? "changed" : "new");
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

/**
 * Returns the object that another session made first for the same new path; undefined if `made` is the first one. Two
 * sessions that index a path at the same time both find no object and make one each. Afterwards both see both objects.
 * The one that was committed first stays. The session that made the other marks it as missing and continues with the
 * first.
 */
async function firstMadeInstead(
  scope: SessionScope,
  made: StoredVersion,
): Promise<StoredMetadata | undefined> {
  const { items } = await scope.dependencies.store.find({
    where: { path: made.body["path"] as string },
  });
  const first = items.find(({ body }) => fileLike.has(body.type));
  if (first === undefined || first.body.id === made.body.id) return undefined;
  const parent = { ref: "dynamic" as const, id: first.body.id };
  const provenance = { origin: first.body.id, generator: "system" as const, parent_refs: [parent] };
  // The origin is not a path, so this object never counts as the file that was here.
  const body = { ...missingFileBody(made.body), provenance };
  await commitObjects(scope, [{ body, expect: made.version }]);
  return first;
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

function hasSameContent(earlier: StoredMetadata, file: FileContent): boolean {
  const { body, hashes } = earlier;
  if (body["path"] !== file.realPath) return false;
  if (file.text === null) return presenceOf(body) === "non_text" && body["size"] === file.size;
  return presenceOf(body) === "present" && hashes.content_hash === sha256(file.text);
}

async function loadVersion(scope: SessionScope, stored: StoredMetadata): Promise<StoredVersion> {
  const held = scope.contents.get(stored.body.id);
  if (held !== undefined && held.version === stored.version) return held;
  const loaded = await scope.dependencies.store.get(stored.body.id);
  if (loaded === undefined) throw new TypeError(`object ${stored.body.id} is not in the store`);
  return loaded;
}

/** Returns the object of a file by its real path, or that of a file that was deleted there (decision D56). */
export async function findFile(
  scope: SessionScope,
  realPath: string,
): Promise<StoredMetadata | undefined> {
  const { store } = scope.dependencies;
  const atPath = await store.find({ where: { path: realPath } });
  const found = atPath.items.find(({ body }) => fileLike.has(body.type));
  if (found !== undefined) return found;
  const deleted = await store.find({
    where: { presence: "missing", "provenance.origin": realPath },
    newestFirst: true,
  });
  return deleted.items.find(({ body }) => fileLike.has(body.type));
}

/** The object types that are treated as files: a note differs from a file only in its name (decision D16). */
const fileLike: ReadonlySet<string> = new Set(["file", "note"]);

/**
 * Adds files that were only named to the pool, as inactive and unread. Paths without a regular file are ignored. The
 * session is not stored.
 */
export async function indexNamed(
  scope: SessionScope,
  paths: readonly string[],
): Promise<readonly PoolEntry[]> {
  const { files, ids, workspace } = scope.dependencies;
  const bodies = new Map<string, ObjectBody>();
  const entries: PoolEntry[] = [];
  for (const path of new Set(paths)) {
    const facts = await statQuietly(scope, files.resolve(path, workspace));
    if (facts?.kind !== "file" || bodies.has(facts.realPath)) continue;
    const earlier = await findFile(scope, facts.realPath);
    if (earlier !== undefined && presenceOf(earlier.body) !== "missing")
      entries.push(joinPool(scope.state, earlier));
    else
      bodies.set(
        facts.realPath,
        unreadFileBody(earlier?.body.id ?? ids.next(), facts, earlier?.body),
      );
  }
  if (bodies.size === 0) return entries;
  const made = await commitObjects(
    scope,
    [...bodies.values()].map((body) => ({ body })),
  );
  for (const stored of made) {
    const first = stored.version === 1 ? await firstMadeInstead(scope, stored) : undefined;
    entries.push(joinPool(scope.state, first ?? metadataVersion(stored)));
  }
  return entries;
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

/** Records that a known file is missing. The session is not stored. */
export async function recordMissing(scope: SessionScope, entry: PoolEntry): Promise<PoolEntry> {
  const { stored: newest } = await refreshEntry(scope, entry);
  const [stored] = await commitObjects(scope, [{ body: missingFileBody(newest.body) }]);
  if (stored === undefined) throw new TypeError("the store returned no version for a file");
  scope.contents.delete(entry.id);
  return joinPool(scope.state, metadataVersion(stored));
}
