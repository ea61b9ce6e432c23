import type { FileState } from "../model/file-facts.ts";

/**
 * Sees what happens to known files on disk. A watcher tells facts: what stands at a path now. Which object a file is,
 * and what of it is stored, `fileTracker` decides.
 *
 * Laws, each a scenario of the same key in `@self-context-manager/testkit`:
 *
 * - `change-is-told`: once `ready` resolves, every change of a known file is told.
 * - `add-compares`: a file that differs from what was known of it when it was added is told, whenever it changed, and
 *   so is another of the same size and time.
 * - `last-state-is-told`: of changes in quick succession the last thing told of a path is what stands there then.
 * - `rename-over-is-no-absence`: a file that is replaced by rename, or renamed away and written anew, is never told to
 *   be absent.
 * - `absence-is-told`: a file that stays away is told to be absent, and told again when a file comes back to its path,
 *   though its folders went and came back too.
 * - `moved-is-found`: a file that was moved is told to be absent, and `search` finds it by its node, in the same folder
 *   and in others.
 * - `moved-folder-is-told`: of a folder that was moved every known file is told to be absent, at any depth below what
 *   moved, and `search` finds each.
 * - `copy-is-found`: `search` finds files by size, where no node tells.
 * - `case-rename-is-told`: a file whose name changed in its case only is told to be absent under the old one.
 * - `links-are-not-followed`: a link that takes the place of a file is told to be no file.
 * - `permissions-are-told`: a change of permissions is told; a path that may not be looked at is told to be unreadable,
 *   and is told again when it may.
 * - `burst-is-complete`: when thousands of known files change at once, each is told.
 * - `unknown-is-silent`: what happens to paths that were not added is not told, temporary files of editors included,
 *   and `search` does not answer such files.
 * - `removed-is-silent`: a path that was removed is not told any more.
 * - `watches-are-bounded`: whatever is added, the system's watches are at most `watches.limit`, and what is beyond them
 *   is told too.
 * - `search-stays-inside`: `search` looks below the watcher's roots only, and follows no link out of them.
 * - `closed-is-silent`: after disposal nothing is told, and other calls reject with `WATCHER_CLOSED`; disposal is
 *   idempotent.
 */
export interface Watcher extends AsyncDisposable {
  /** Who is told; before there is a listener, what would be told is kept. */
  listen(listener: SightingListener): void;
  /**
   * Makes files known. Real, absolute paths; one that is known already has what was `seen` of it replaced. Resolves
   * when the paths are taken, not when they are watched: see `ready`.
   */
  add(files: readonly KnownFile[]): Promise<void>;
  remove(paths: readonly string[]): void;
  /** Resolves once all that was added is watched, and what differed by then has been told. */
  ready(): Promise<void>;
  /** What stands at paths now, in the order asked for; they need not be known. */
  look(paths: readonly string[]): Promise<readonly Sighting[]>;
  /** Regular files that could be what moved. */
  search(wanted: FileSearch): Promise<readonly FileSighting[]>;
  /** How many of the system's watches are in use, and the most that ever are. */
  readonly watches: { readonly count: number; readonly limit: number };
}

/** Gets sightings of different paths, in no order. */
export type SightingListener = (sightings: readonly Sighting[]) => void;

/** A path to watch, and what was known of the file there when it was read; without that, it is told once at least. */
export interface KnownFile {
  readonly path: string;
  /** With its node where that is known: another file can have the same size and time. */
  readonly seen?: (FileState & { readonly node?: string }) | "absent";
}

/** What stood at a path when it was looked at; `at` is the watcher's time, milliseconds since 1970. */
export type Sighting = FileSighting | NoFileSighting;

/** A regular file. */
export interface FileSighting extends FileState {
  readonly state: "file";
  readonly path: string;
  readonly at: number;
  /** The file by itself, whatever its path: device and inode. A node of a deleted file can be used again. */
  readonly node: string;
  /** When the file was made, where the file system tells. */
  readonly born?: number;
  /** When anything about the file changed, its name and permissions included. */
  readonly changed: number;
}

/** Nothing, something that is no regular file, or something that may not be looked at. */
export interface NoFileSighting {
  readonly state: "absent" | "other" | "unreadable";
  readonly path: string;
  readonly at: number;
}

/** Files to look for. */
export interface FileSearch {
  readonly files: readonly WantedFile[];
  /** Folders where nothing changed since may be passed over; milliseconds since 1970. */
  readonly since?: number;
}

/** A file that is somewhere else now: files of its node are answered, and of its size unless its node was found. */
export interface WantedFile {
  readonly node?: string;
  readonly size?: number;
}
