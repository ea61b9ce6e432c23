import {
  type FileSighting,
  type FileSource,
  type IdSource,
  type KnownFile,
  type Logger,
  type ObjectId,
  type ObjectStore,
  type Sighting,
  type StoredMetadata,
  taskQueue,
  type Watcher,
} from "@self-context-manager/objects";
import { type FileChange, newVersion } from "./file-change.ts";
import { processSightings } from "./process-sightings.ts";
import { isSameFile, trackedFiles } from "./tracked-files.ts";

/** What a tracker needs: where versions are stored, how files are read, and who reports changes. */
export interface FileTrackerOptions {
  readonly store: ObjectStore;
  readonly files: FileSource;
  /** The tracker owns the watcher and disposes of it. */
  readonly watcher: Watcher;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** The real path of the workspace. A file outside this folder is read only when a `read` names it. */
  readonly workspace: string;
}

/**
 * Keeps the objects of known files up to date: turns sightings of a watcher into versions, and reports each change to
 * its listeners. It does not decide what the model sees.
 *
 * Laws, each a scenario of the same key in `@self-context-manager/testkit`:
 *
 * - `change-makes-a-version`: a changed file gets one version with its content. Its generator is `human`.
 * - `last-content-is-stored`: after several quick changes, the last content is stored.
 * - `edit-after-read-is-stored`: an edit between the read of a file and the start of its tracking is stored.
 * - `untouched-makes-no-version`: a file with a new time and the same content gets no version.
 * - `bytes-are-compared`: a file that is not text gets a version if its bytes change, also at an equal size, and none if
 *   only its time does.
 * - `large-growth-is-not-read`: a file of more than 1 MiB whose size changes gets a version with its new size and without
 *   content. The earlier versions stay.
 * - `atomic-save-is-a-change`: a file that is replaced by rename, or saved with a backup, stays the same object.
 * - `move-keeps-the-object`: a moved or renamed file is the same object, in a new version with its new path. This holds
 *   across folders, for a file whose folder was moved, for a move by copy and deletion, and for a file that was changed
 *   during the move.
 * - `swap-keeps-both`: files that exchange their paths keep their objects. A known file that is moved onto another
 *   keeps its object, and the other file counts as deleted.
 * - `deletion-keeps-history`: a deleted file gets a version with null content and null path. The earlier versions stay.
 * - `recreation-is-the-same-object`: a file that is created again at its last path is the same object (decision D56).
 * - `unrelated-file-is-another`: a file that existed elsewhere and is moved to the path of another is a different
 *   object.
 * - `unreadable-keeps-the-last`: a file that cannot be read keeps its last version, and this is reported.
 * - `own-writes-are-not-foreign`: a change is not reported if the file is tracked again after the write, or if the
 *   write was made under a hold.
 * - `others-versions-are-reported`: a version that another session made is reported and not made again. Sessions that share
 *   a tracker get each other's versions from it.
 * - `late-reads-are-not-stored`: a content is not stored after a version that another session stored later than the
 *   read. If a session has stored such a late read, it stores the content that the file has now after it.
 * - `start-catches-up`: every change, move and deletion before the start of tracking has its version when `track`
 *   resolves.
 * - `start-keeps-identity`: files that were renamed over other tracked files, exchanged or replaced before the start of
 *   tracking keep their objects as `swap-keeps-both`, `atomic-save-is-a-change` and `unrelated-file-is-another` say. They
 *   are recognised by node, or by content if the store has no node. A version whose file is recognised by its path alone
 *   has `identified_by` in its provenance.
 * - `named-is-tracked`: moves and deletions of files that were only named are stored without a read. Changes of their
 *   content are not stored.
 * - `unnamed-is-not-read`: files outside the workspace, and files whose names suggest secrets, are not read. A
 *   difference from the stored version is reported.
 */
export interface FileTracker extends AsyncDisposable {
  /**
   * Tracks file objects, each known to the caller in the given version. Resolves when every change since that version
   * is stored and reported. The watch may begin later: see `ready`. Objects that are not files are ignored. A version
   * that is newer than the tracked one is reported to all listeners except the caller's. Rejects with `StoreError`.
   */
  track(objects: readonly StoredMetadata[], options?: TrackOptions): Promise<void>;
  /** Ends the tracking of objects, whoever tracks them. */
  untrack(ids: readonly ObjectId[]): void;
  /** Resolves when all tracked files are watched and all differences up to then are stored. */
  ready(): Promise<void>;
  /**
   * Checks the tracked files at some paths on disk now, without waiting for the watcher. Default: all. Resolves and rejects
   * as `track` does.
   */
  check(paths?: readonly string[]): Promise<void>;
  /**
   * Returns the object of a tracked file that was moved to a path, or undefined if the file there is no tracked one.
   * Its object has its new version when this resolves. Call it before an object is made for a file.
   */
  adopt(path: string): Promise<ObjectId | undefined>;
  /** Ignores changes at a path while a tool of the harness writes it. After disposal the path is checked again. */
  hold(path: string): Promise<AsyncDisposable>;
  /**
   * Calls a listener with all changes in order, in batches of at most a few hundred. Returns a function that removes
   * the listener, and ends the tracking of objects that only calls with this listener as `except` have tracked.
   */
  onChange(listener: FileChangeListener): () => void;
}

/** Gets the new versions of files, each with its kind of change. */
export type FileChangeListener = (changes: readonly FileChange[]) => void;

interface TrackOptions {
  /** The caller's listener, which is not called for these versions because the caller has them. */
  readonly except?: FileChangeListener;
  /**
   * Objects whose files were only named. Their moves and deletions are stored, and changes of their content are not. They
   * are never read. A file that another call tracks without this is tracked fully. Default: none.
   */
  readonly onlyNamed?: ReadonlySet<ObjectId>;
}

/** A newer version that the caller passed to `track`, with the version that was tracked before. */
interface Newer {
  readonly previous: StoredMetadata;
  readonly stored: StoredMetadata;
}

/** Returns a tracker that keeps the objects of known files up to date. It does no I/O before the first file is tracked. */
export function fileTracker(options: FileTrackerOptions): FileTracker {
  const { store, files, watcher, logger } = options;
  const tracked = trackedFiles();
  const queue = taskQueue();
  const listeners = new Set<FileChangeListener>();
  const holds = new Map<string, number>();
  /** Who tracks each object: the listener of the caller, or undefined for a caller without one. */
  const callers = new Map<ObjectId, Set<FileChangeListener | undefined>>();
  /** Paths whose change could not be stored. They are checked again with the next sightings. */
  const undone = new Set<string>();
  /** Sightings that wait to be processed: the newest one of each path. */
  const pending = new Map<string, Sighting>();
  let closed = false;
  const parts = { ...options, tracked, isHeld: (path: string) => holds.has(path), notify };

  function notify(changes: readonly FileChange[], except?: FileChangeListener): void {
    for (const listener of listeners) {
      if (listener === except) continue;
      try {
        listener(changes);
      } catch (error) {
        // The versions are stored. An error of a listener must not make them count as not stored.
        logger.error("a listener to changes of files failed", { error });
      }
    }
  }

  watcher.listen((sightings) => {
    const isDue = pending.size > 0;
    for (const sighting of sightings) pending.set(sighting.path, sighting);
    // Sightings that arrive while earlier ones are processed are processed together: a larger commit costs little more
    // than a small one.
    if (!isDue) void queue(handlePending);
  });

  async function handlePending(): Promise<void> {
    const sightings = [...pending.values()];
    pending.clear();
    try {
      await handle(sightings);
    } catch (error) {
      if (!closed) logger.error("changes of files could not be stored", { error });
    }
  }

  /** Processes sightings, with the paths whose change could not be stored before, and updates the watched paths. */
  async function handle(
    sightings: readonly Sighting[],
    came: readonly FileSighting[] = [],
  ): Promise<void> {
    if (closed) return;
    const again = [...undone].filter((path) => tracked.at(path).length > 0);
    undone.clear();
    try {
      await processSightings([...(await watcher.look(again)), ...sightings], came, parts);
      await watchPaths();
    } catch (error) {
      // After a failure these sightings must be processed again.
      for (const path of again) undone.add(path);
      for (const { path } of sightings) undone.add(path);
      throw error;
    }
  }

  async function lookAt(paths: readonly string[]): Promise<void> {
    await queue(async () => {
      if (!closed) await handle(await watcher.look([...new Set(paths)]));
    });
  }

  /** Reports versions that one session stored to the listeners of the other sessions. */
  async function notifyNewer(newer: readonly Newer[], except?: FileChangeListener): Promise<void> {
    if (closed || ![...listeners].some((listener) => listener !== except)) return;
    const changes: FileChange[] = [];
    for (const { previous, stored } of newer) {
      const { id } = stored.body;
      // A later version may have been reported in between.
      if (tracked.all.get(id)?.stored.version !== stored.version) continue;
      const whole = await store.get(id, { version: stored.version });
      if (whole !== undefined) changes.push(newVersion(previous, whole));
    }
    if (changes.length > 0) notify(changes, except);
  }

  /** Adds paths that now have a tracked file to the watcher, and removes paths that no longer have one. */
  async function watchPaths(): Promise<void> {
    const added: KnownFile[] = [];
    const idle: string[] = [];
    for (const path of tracked.takeTouchedPaths()) {
      const [file] = tracked.at(path);
      if (file === undefined) idle.push(path);
      else added.push(knownFile(path, file.seen));
    }
    watcher.remove(idle);
    if (added.length > 0) await watcher.add(added);
  }

  function untrack(ids: readonly ObjectId[]): void {
    for (const id of ids) {
      callers.delete(id);
      tracked.remove(id);
    }
    void queue(async () => {
      if (!closed) await watchPaths();
    });
  }

  /**
   * Returns the object of the file at a path without an object, if it is a tracked file that is no longer at its last
   * path.
   */
  async function adopt(path: string): Promise<ObjectId | undefined> {
    const [there] = await watcher.look([path]);
    if (there?.state !== "file") return undefined;
    const owner = tracked.shownBy(there);
    if (owner === undefined) return undefined;
    const home = await watcher.look([owner.path]);
    const isHome = home[0]?.state === "file" && isSameFile(home[0], there);
    if (!isHome) await handle(home, [there]);
    return owner.path === path ? owner.id : undefined;
  }

  return {
    async track(objects, { except, onlyNamed } = {}) {
      const paths: string[] = [];
      const newer: Newer[] = [];
      for (const stored of objects) {
        if (stored.body.type !== "file" && stored.body.type !== "note") continue;
        const previous = tracked.all.get(stored.body.id)?.stored;
        const file = tracked.put(stored, onlyNamed?.has(stored.body.id) ?? false);
        if (file === undefined) continue;
        paths.push(file.path);
        const known = callers.get(file.id);
        if (known === undefined) callers.set(file.id, new Set([except]));
        else known.add(except);
        if (previous !== undefined && previous.version < stored.version)
          newer.push({ previous, stored });
      }
      await Promise.all([queue(async () => await notifyNewer(newer, except)), lookAt(paths)]);
    },
    untrack,
    async ready() {
      await queue(async () => undefined);
      await watcher.ready();
      await queue(async () => undefined);
    },
    check: async (paths) =>
      await lookAt(paths ?? [...tracked.all.values()].map(({ path }) => path)),
    adopt: async (path) => await queue(async () => await adopt(path)),
    async hold(path) {
      const real = (await files.stat(path).catch(() => undefined))?.realPath ?? path;
      holds.set(real, (holds.get(real) ?? 0) + 1);
      let isHeld = true;
      return {
        async [Symbol.asyncDispose]() {
          if (!isHeld) return;
          isHeld = false;
          const count = (holds.get(real) ?? 1) - 1;
          if (count > 0) holds.set(real, count);
          else holds.delete(real);
          if (count === 0 && tracked.at(real).length > 0) await lookAt([real]);
        },
      };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        const left = [...callers].filter(([, known]) => known.delete(listener) && known.size === 0);
        untrack(left.map(([id]) => id));
      };
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await watcher[Symbol.asyncDispose]();
      await queue(async () => undefined);
      listeners.clear();
    },
  };
}

function knownFile(path: string, seen: Sighting | undefined): KnownFile {
  if (seen === undefined) return { path };
  if (seen.state !== "file") return { path, seen: "absent" };
  return { path, seen: { size: seen.size, modified: seen.modified, node: seen.node } };
}
