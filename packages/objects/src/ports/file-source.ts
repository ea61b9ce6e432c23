import type { FileContent, FileFacts } from "../model/file-facts.ts";

/**
 * Reads files for the session; the only way in which core sees a file system.
 *
 * Laws, tested in `@self-context-manager/watcher`:
 *
 * - `absent-is-undefined`: `stat` of a path where nothing is answers `undefined`.
 * - `text-is-exact`: text comes back unit for unit, byte order mark included; bytes that are not UTF-8 are not text.
 * - `emptied-is-read-again`: a file that was emptied a moment ago is read again until it has text, for 150 ms at most:
 *   most often its writer is between truncating and writing.
 * - `links-are-followed`: `realPath` names the file itself, whatever links led there.
 * - `refusals-have-codes`: what cannot be read rejects with a `FileError` that names the path and what to do.
 */
export interface FileSource {
  /** The absolute, normalised form of a path as a person or model writes it: relative to `base`, `~` for home. */
  resolve(path: string, base: string): string;
  /** What is at a path, links followed; undefined where nothing is. */
  stat(path: string): Promise<FileFacts | undefined>;
  /** Reads a whole file. Rejects with `FileError`. */
  read(path: string): Promise<FileContent>;
}
