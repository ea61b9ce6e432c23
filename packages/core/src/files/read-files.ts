import {
  fileBody,
  type FileContent,
  FileError,
  type FileSighting,
  type FileSource,
  type ObjectBody,
  presenceOf,
  sha256,
  type StoredMetadata,
  unreadFileBody,
} from "@self-context-manager/objects";

/** Enough to keep the file system's threads busy, and few enough to hold in memory. */
const atOnce = 8;

/** Does something with each item, a few at once. */
export async function inParallel<Item>(
  items: readonly Item[],
  task: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next] as Item;
      next += 1;
      await task(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}

/** A file's content; or why there is none: gone again, or not to be read. */
export type ReadOutcome =
  | { readonly file: FileContent }
  | { readonly gone: true }
  | { readonly reason: string };

export async function tryRead(files: FileSource, path: string): Promise<ReadOutcome> {
  try {
    const file = await files.read(path);
    // Behind a link now: what is known by this path is not here any more.
    return file.realPath === path ? { file } : { gone: true };
  } catch (error) {
    if (!FileError.is(error)) throw error;
    if (error.code === "FILE_UNREADABLE" || error.code === "FILE_TOO_LARGE")
      return { reason: error.message };
    return { gone: true };
  }
}

/** The version that follows for a file that was read again; undefined where nothing differs. */
export function contentDraft(earlier: StoredMetadata, file: FileContent): ObjectBody | undefined {
  const { body, hashes } = earlier;
  const presence = file.text === null ? "non_text" : "present";
  const isSame =
    body["path"] === file.realPath &&
    presenceOf(body) === presence &&
    (file.text === null ? body["size"] === file.size : hashes.content_hash === sha256(file.text));
  return isSame ? undefined : fileBody(body.id, file, "human", body);
}

/** The version that follows for a file that was named, never read, and looks different now. */
export function unreadDraft(
  earlier: StoredMetadata,
  sighting: FileSighting,
): ObjectBody | undefined {
  const { body } = earlier;
  const isSame = body["path"] === sighting.path && body["size"] === sighting.size;
  if (isSame && presenceOf(body) === "unread") return undefined;
  const { path, size, modified } = sighting;
  return unreadFileBody(body.id, { realPath: path, kind: "file", size, modified }, body);
}
