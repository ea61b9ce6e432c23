import type { FileContent, FileFacts, FolderEntry } from "../model/file-facts.ts";

/**
 * Reads files for a session. Core accesses a file system only through this port.
 *
 * Each law has a scenario with the same key in `@self-context-manager/store-contract`.
 *
 * Laws:
 *
 * - `paths-are-absolute`: `resolve` returns an absolute path in normal form. No character of a name has a meaning, except
 *   `/`, the names `.` and `..`, and `~` as the first name. A resolved path stays the same, whatever the base is.
 * - `absent-is-undefined`: `stat` of a path where nothing exists returns `undefined`.
 * - `text-is-exact`: text is returned unit for unit, including a byte order mark. Bytes that are not UTF-8, or contain a
 *   NUL, are not text. Sizes are in bytes.
 * - `facts-agree`: `stat` and `read` return the same real path, size, time of change and identity of a file.
 * - `changes-show`: after a file was changed, `read` returns the new text, and the size or the time of change is another.
 * - `links-are-followed` (if `supports.links`): `realPath` is the path of the file itself after all links are followed.
 * - `folders-list-their-entries`: `list` returns the regular files and the folders that are directly in a folder, each once,
 *   in any order, and reads no file. Links are not among them. What is no folder, or cannot be read, has none.
 * - `refusals-have-codes`: a file that is missing, is a folder or cannot be read rejects with a `FileError` that names the
 *   path and what to do.
 *
 * Laws of a source that reads a disk, tested in `@self-context-manager/watcher`:
 *
 * - `emptied-is-read-again`: a file that was emptied a moment ago is read again until it has text, for at most 150 ms,
 *   because its writer is usually between truncating and writing.
 * - `identity-is-the-watchers`: node and time of creation are those that the watcher reports. Both are missing if the disk
 *   has none; then a file is recognised between two sessions by its content only.
 */
export interface FileSource {
  /** Returns the absolute, normalised form of a path that a person or a model wrote: relative to `base`, `~` for home. */
  resolve(path: string, base: string): string;
  /** Returns the facts of what is at a path (a file, a folder or something else), after following links; undefined if nothing is. */
  stat(path: string): Promise<FileFacts | undefined>;
  /** Returns the names of the files and folders in a folder. */
  list(folder: string): Promise<readonly FolderEntry[]>;
  /** Reads a whole file. Rejects with `FileError`. */
  read(path: string): Promise<FileContent>;
}
