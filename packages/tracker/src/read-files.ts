import { type FileContent, FileError, type FileSource } from "@self-context-manager/objects";

/**
 * The number of files that are read at once: enough to keep the threads of the file system busy, and few enough
 * contents for memory.
 */
const atOnce = 8;

/** Runs a task for each item, at most eight at once. */
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

/** The content of a file, or the reason why there is none: the file is gone or cannot be read. */
export type ReadOutcome =
  | { readonly file: FileContent }
  | { readonly gone: true }
  | { readonly reason: string };

export async function tryRead(files: FileSource, path: string): Promise<ReadOutcome> {
  try {
    const file = await files.read(path);
    // The path is now a link to another file, so the known file is no longer here.
    return file.realPath === path ? { file } : { gone: true };
  } catch (error) {
    if (!FileError.is(error)) throw error;
    if (error.code === "FILE_UNREADABLE" || error.code === "FILE_TOO_LARGE")
      return { reason: error.message };
    return { gone: true };
  }
}
