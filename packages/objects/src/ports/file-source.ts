import type { FileContent, FileFacts } from "../model/file-facts.ts";

/**
 * Reads files for a session. Core accesses a file system only through this port.
 *
 * Laws, tested in `@self-context-manager/watcher`:
 *
 * - `absent-is-undefined`: `stat` of a path where nothing exists returns `undefined`.
 * - `text-is-exact`: text is returned unit for unit, including a byte order mark; bytes that are not UTF-8 are not text.
 * - `emptied-is-read-again`: a file that was emptied a moment ago is read again until it has text, for at most 150 ms,
 *   because its writer is usually between truncating and writing.
 * - `links-are-followed`: `realPath` is the path of the file itself after all links are followed.
 * - `identity-is-the-watchers`: node and time of creation are those that the watcher reports. Both are missing if the disk
 *   has none; then a file is recognised between two sessions by its content only.
 * - `refusals-have-codes`: an unreadable file rejects with a `FileError` that names the path and what to do.
 */
export interface FileSource {
  /** Returns the absolute, normalised form of a path that a person or a model wrote: relative to `base`, `~` for home. */
  resolve(path: string, base: string): string;
  /** Returns the facts of what is at a path (a file, a folder or something else), after following links; undefined if nothing is. */
  stat(path: string): Promise<FileFacts | undefined>;
  /** Reads a whole file. Rejects with `FileError`. */
  read(path: string): Promise<FileContent>;
}
