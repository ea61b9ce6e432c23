import type { FileState } from "../model/file-facts.ts";

/**
 * Observes known files on disk. A watcher reports facts: the present state of a path. `fileTracker` decides which object
 * a file is and which versions are stored.
 *
 * Laws, each with a scenario of the same key in `@self-context-manager/store-contract`:
 *
 * - `change-is-reported`: once `ready` resolves, every change of a known file is reported.
 * - `add-compares`: a file that differs from its `seen` state when it is added is reported, however old the change is;
 *   so is another file of the same size and time.
 * - `last-state-is-reported`: after several quick changes the last report of a path is its present state.
 * - `rename-over-is-no-absence`: a file that is replaced by a rename, or renamed away and written again, is never
 *   reported as absent.
 * - `absence-is-reported`: a file that stays away is reported as absent, and reported again when a file returns to its
 *   path, even if its folders went and returned too.
 * - `moved-is-found`: a moved file is reported as absent, and `search` finds it by its node, in the same folder and in
 *   others.
 * - `moved-folder-is-reported`: every known file below a moved folder, at any depth, is reported as absent, and `search`
 *   finds each.
 * - `copy-is-found`: `search` finds files by size if there is no node to search by.
 * - `case-rename-is-reported`: a file whose name changed only in its case is reported as absent under the old name.
 * - `links-are-not-followed`: a link that replaces a file is reported as `other`.
 * - `permissions-are-reported`: a change of permissions is reported; a path without permission is reported as
 *   unreadable, and again when it becomes readable.
 * - `burst-is-complete`: if thousands of known files change at once, each is reported.
 * - `unknown-is-silent`: paths that were not added are not reported, including temporary files of editors, and `search`
 *   does not return such temporary files.
 * - `removed-is-silent`: a removed path is no longer reported.
 * - `watches-are-bounded`: the number of system watches never exceeds `watches.limit`. Changes of files without a system
 *   watch are reported too.
 * - `search-stays-inside`: `search` looks only below the watcher's roots and follows no link out of them.
 * - `closed-is-silent`: after disposal nothing is reported, and other calls reject with `WATCHER_CLOSED`; disposal is
 *   idempotent.
 */
export interface Watcher extends AsyncDisposable {
  /** Sets the listener for sightings. Sightings that arrive before are buffered. */
  listen(listener: SightingListener): void;
  /**
   * Adds files by their real, absolute paths. For a path that is already known, `seen` is replaced. Resolves when the
   * paths are accepted, which can be before they are watched: see `ready`.
   */
  add(files: readonly KnownFile[]): Promise<void>;
  remove(paths: readonly string[]): void;
  /** Resolves once all added files are watched and all differences up to then are reported. */
  ready(): Promise<void>;
  /** Returns the present state of paths, in their order. The paths need not be known. */
  look(paths: readonly string[]): Promise<readonly Sighting[]>;
  /** Returns regular files that could be the moved ones. */
  search(wanted: FileSearch): Promise<readonly FileSighting[]>;
  /** The number of system watches in use, and its limit. */
  readonly watches: { readonly count: number; readonly limit: number };
}

/** Receives sightings of different paths, in no particular order. */
export type SightingListener = (sightings: readonly Sighting[]) => void;

/** A path to watch, with the state of the file when it was read; without `seen` the path is reported at least once. */
export interface KnownFile {
  readonly path: string;
  /** Contains the node if it is known, because another file can have the same size and time. */
  readonly seen?: FileState | "absent";
}

/** The state of a path at the time `at`, by the clock of the watcher, in milliseconds since 1970. */
export type Sighting = FileSighting | NoFileSighting;

/** A regular file. */
export interface FileSighting extends FileState {
  readonly state: "file";
  readonly path: string;
  readonly at: number;
  readonly node: string;
  /** The time of the last change of content, name or permissions. */
  readonly changed: number;
}

/** A path without a file, with something other than a regular file, or without permission to look. */
interface NoFileSighting {
  readonly state: "absent" | "other" | "unreadable";
  readonly path: string;
  readonly at: number;
}

/** Files to look for. */
export interface FileSearch {
  readonly files: readonly WantedFile[];
  /** Folders that have not changed since then may be skipped; milliseconds since 1970. */
  readonly since?: number;
}

/** A file that has moved: `search` returns files with its node, or with its size if no file has that node. */
export interface WantedFile {
  readonly node?: string;
  readonly size?: number;
}
