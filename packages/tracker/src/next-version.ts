import {
  diskState,
  fileBody,
  type FileContent,
  type FileFacts,
  type FileSource,
  type FileState,
  identifiedByPath,
  missingFileBody,
  movedFileBody,
  type ObjectBody,
  type ObjectId,
  type ObjectMetadata,
  type ObjectStore,
  presenceOf,
  type Provenance,
  sha256,
  type StoredMetadata,
  type StoredVersion,
  unreadFileBody,
} from "@self-context-manager/objects";
import { tryRead } from "./read-files.ts";
import type { Draft } from "./store-drafts.ts";

// Which version of a file's object follows its latest one. Sessions that index files and the tracker use the same rules.
// A rule gets the version that is the latest when it is stored, because another session can have stored one meanwhile.

/** A content that was read from a file. */
export interface ReadContent {
  readonly content: FileContent;
  /** The latest version of the object before the content was read; 0 if it had none. */
  readonly readAfter: number;
  readonly generator: Provenance["generator"];
  /** Whether nothing but the path shows that this is the file of the object. */
  readonly isByPath?: boolean;
  /** Whether a tool of the host has read the content. Then no other text of the file may become known. */
  readonly isByTool?: boolean;
}

/**
 * Returns the draft for a content. The content follows the version after which it was read. After a later version the
 * file is read again, so an old content never follows a newer one. A file that was only named meanwhile gets no text that
 * the tool has not read.
 */
export function afterRead(files: FileSource, id: ObjectId, read: ReadContent): Draft {
  const { content, readAfter, generator, isByPath = false, isByTool = false } = read;
  const marked = (body: ObjectBody | undefined): ObjectBody | undefined =>
    isByPath && body !== undefined ? identifiedByPath(body) : body;
  return {
    id,
    body: async (latest) => {
      if (latest === undefined) return fileBody(id, content, generator);
      if (latest.version <= readAfter) return marked(withContent(latest, content, generator));
      const again = await tryRead(files, content.realPath);
      // If the file cannot be read now, the next check handles it.
      if (!("file" in again)) return undefined;
      const isSame = again.file.text === content.text;
      if (isByTool && !isSame && presenceOf(latest.body) === "unread") return undefined;
      return marked(withContent(latest, again.file, isSame ? generator : "human"));
    },
  };
}

function withContent(
  latest: StoredMetadata,
  file: FileContent,
  generator: Provenance["generator"],
): ObjectBody | undefined {
  return hasContentOf(latest, file)
    ? undefined
    : fileBody(latest.body.id, file, generator, latest.body);
}

/** Whether a version has the path and the content of a file. */
export function hasContentOf(
  { body, hashes }: StoredMetadata | StoredVersion,
  file: FileContent,
): boolean {
  if (body["path"] !== file.realPath) return false;
  if (file.text === null) return presenceOf(body) === "non_text" && hasBytesOf(body, file);
  return presenceOf(body) === "present" && hashes.content_hash === sha256(file.text);
}

/**
 * Whether a version without text has the bytes of a file. If the source or the version has no hash, size and time show
 * it.
 */
function hasBytesOf(body: ObjectBody | ObjectMetadata, file: FileContent): boolean {
  if (body["size"] !== file.size) return false;
  const { bytesHash } = file;
  const known = body["bytes_hash"];
  if (bytesHash !== undefined && known !== undefined) return known === bytesHash;
  return diskState(body)?.modified === file.modified;
}

/** Returns the draft for a file that was named and not read. A known file keeps its version, unless it is missing. */
export function afterNaming(id: ObjectId, facts: FileFacts): Draft {
  return {
    id,
    body: (latest) =>
      latest === undefined || presenceOf(latest.body) === "missing"
        ? unreadFileBody(id, facts, latest?.body)
        : undefined,
  };
}

/** Returns the body of a file at a path whose content is not read; undefined if path and size are as before. */
export function asUnread(
  { body }: StoredMetadata,
  path: string,
  state: FileState,
): ObjectBody | undefined {
  const isSame = body["path"] === path && body["size"] === state.size;
  if (isSame && presenceOf(body) === "unread") return undefined;
  return unreadFileBody(body.id, { ...state, realPath: path, kind: "file" }, body);
}

/**
 * Returns the body of a file at a new path; undefined if it is there already. `state`: its state there, if it is known to
 * have the stored content.
 */
export async function atPath(
  store: ObjectStore,
  latest: StoredMetadata,
  path: string,
  state: FileState | undefined,
): Promise<ObjectBody | undefined> {
  const { id } = latest.body;
  if (latest.body["path"] === path) return undefined;
  const whole = await store.get(id, { version: latest.version });
  return whole === undefined ? undefined : movedFileBody(whole.body, path, state);
}

/**
 * Returns the draft for a deletion that was found after a version. After a later version, in which another session has
 * found the file, the disk is checked again.
 */
export function afterDeletion(files: FileSource, id: ObjectId, foundAfter: number): Draft {
  return {
    id,
    body: async (latest) => {
      const path = latest?.body["path"];
      if (latest === undefined || typeof path !== "string") return undefined;
      const isLater = latest.version > foundAfter;
      return isLater && (await isThere(files, path)) ? undefined : missingFileBody(latest.body);
    },
  };
}

/**
 * Returns the draft for an object that two sessions made for one path: this one is missing from now on, and the first one
 * stays. Its origin is not a path, so it never counts as the file that was there.
 */
export function afterDouble(id: ObjectId, first: ObjectId): Draft {
  const parent = { ref: "dynamic" as const, id: first };
  const provenance = { origin: first, generator: "system" as const, parent_refs: [parent] };
  return {
    id,
    body: (latest) =>
      latest === undefined || presenceOf(latest.body) === "missing"
        ? undefined
        : { ...missingFileBody(latest.body), provenance },
  };
}

async function isThere(files: FileSource, path: string): Promise<boolean> {
  // A file that cannot be examined counts as there: the next check handles it.
  const facts = await files.stat(path).catch(() => "unknown" as const);
  return facts === "unknown" || (facts?.kind === "file" && facts.realPath === path);
}
