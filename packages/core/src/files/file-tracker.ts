import type {
  FileSighting,
  FileSource,
  IdSource,
  KnownFile,
  Logger,
  ObjectId,
  ObjectStore,
  Sighting,
  StoredMetadata,
  Watcher,
} from "@self-context-manager/objects";
import { taskQueue } from "../task-queue.ts";
import { type FileChange, newVersion } from "./file-change.ts";
import { sightingProcessor } from "./process-sightings.ts";
import { isSameFile, trackedFiles } from "./tracked-files.ts";

export interface FileTrackerOptions {
  readonly store: ObjectStore;
  readonly files: FileSource;
  /** Belongs to the tracker from here on, which disposes of it. */
  readonly watcher: Watcher;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Nothing outside this folder is read without being named, by its real path. */
  readonly workspace: string;
}

/**
 * Keeps the objects of known files as the files are (specification v0 §12.1 and §18.2): it turns what a watcher sees
 * into versions, and tells what became of each. It decides nothing about what the model sees.
 *
 * Laws, each a scenario of the same key in `@self-context-manager/testkit`:
 *
 * - `change-makes-a-version`: a changed file gets one version with its content, `human` by origin.
 * - `last-content-is-stored`: of changes in quick succession the last content is stored in the end.
 * - `edit-after-read-is-stored`: an edit between the read of a file and its tracking is stored.
 * - `untouched-makes-no-version`: a file whose time changed and whose content did not gets no version.
 * - `atomic-save-is-a-change`: a file that is replaced by rename, or saved with a backup, stays the same object.
 * - `move-keeps-the-object`: a moved or renamed file is the same object in a new version with its new path, across
 *   folders too, moved with its folder, moved by copy and deletion, and changed on the way.
 * - `swap-keeps-both`: files that change places stay the objects they were; a known file that is moved onto another
 *   keeps its object, and the other is gone.
 * - `deletion-keeps-history`: a deleted file gets a version with null content and null path; the earlier ones stay.
 * - `recreation-is-the-same-object`: a file that is made again at its last path is the same object (decision D56).
 * - `unrelated-file-is-another`: a file that existed elsewhere and is moved to the path of another is another object.
 * - `unreadable-keeps-the-last`: a file that may not be read keeps its last version, and that is told.
 * - `own-writes-are-not-foreign`: what is tracked again after it was written, or written under a hold, is not told.
 * - `others-versions-are-reported`: a version that another session made is told, and not made twice; sessions that
 *   share a tracker tell each other so.
 * - `late-reads-are-not-stored`: what was read of a file before another session stored a later version does not follow it;
 *   where a session stores such a read, the file as it is follows that.
 * - `start-catches-up`: what changed, moved or vanished before tracking began has its version when `track` resolves.
 * - `unnamed-is-not-read`: outside the workspace, and of files that look like a secret's, nothing is read; that they
 *   differ is told.
 */
export interface FileTracker extends AsyncDisposable {
  /**
   * Tracks file objects, each known to the caller in this version. Resolves once what became of them since is stored
   * and told. Watching them begins meanwhile: see `ready`. Objects that are no files are passed over. A version that is
   * newer than the known one is told to all listeners but the caller's. Rejects with `StoreError`.
   */
  track(objects: readonly StoredMetadata[], options?: TrackOptions): Promise<void>;
  untrack(ids: readonly ObjectId[]): void;
  /** Resolves once all tracked files are watched, and what differed by then is stored. */
  ready(): Promise<void>;
  /** Looks at all tracked files now, whatever the watcher saw; resolves and rejects as `track` does. */
  check(): Promise<void>;
  /**
   * Whether a file at a path without an object is a tracked file that was moved there. If so its object has its new
   * version when this resolves; to be asked before an object is made for a file.
   */
  adopt(path: string): Promise<ObjectId | undefined>;
  /** Leaves a path alone while one's own tool writes it; after disposal it is looked at again. */
  hold(path: string): Promise<AsyncDisposable>;
  /** Calls a listener with all changes, in order, a few hundred at once at most; answers how to stop that. */
  onChange(listener: FileChangeListener): () => void;
}

export type FileChangeListener = (changes: readonly FileChange[]) => void;

interface TrackOptions {
  /** The caller's own listener, which knows these versions. */
  readonly except?: FileChangeListener;
}

/** A version that was tracked, and the one that was known before. */
interface Newer {
  readonly previous: StoredMetadata;
  readonly stored: StoredMetadata;
}

export function fileTracker(options: FileTrackerOptions): FileTracker {
  const { store, files, watcher, logger } = options;
  const tracked = trackedFiles();
  const queue = taskQueue();
  const listeners = new Set<FileChangeListener>();
  const holds = new Map<string, number>();
  /** Paths whose change could not be stored; looked at again when anything else is. */
  const undone = new Set<string>();
  /** Sightings that are not worked on yet, the last of each path. */
  const pending = new Map<string, Sighting>();
  let closed = false;
  const process = sightingProcessor({
    ...options,
    tracked,
    isHeld: (path) => holds.has(path),
    notify,
  });

  function notify(changes: readonly FileChange[], except?: FileChangeListener): void {
    for (const listener of listeners) {
      if (listener === except) continue;
      try {
        listener(changes);
      } catch (error) {
        // The versions are stored; what a listener cannot do must not make them look undone.
        logger.error("a listener to changes of files failed", { error });
      }
    }
  }

  watcher.listen((sightings) => {
    const isDue = pending.size > 0;
    for (const sighting of sightings) pending.set(sighting.path, sighting);
    // What comes while earlier sightings are worked on is taken together: one commit costs much like another.
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

  /** Everything that sightings lead to. */
  async function handle(
    sightings: readonly Sighting[],
    came: readonly FileSighting[] = [],
  ): Promise<void> {
    if (closed) return;
    const again = [...undone].filter((path) => tracked.at(path).length > 0);
    undone.clear();
    try {
      await process([...(await watcher.look(again)), ...sightings], came);
      await watchPaths();
    } catch (error) {
      // What was seen must not count as handled.
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

  /** Notifies the other sessions of what one of them has stored. */
  async function notifyNewer(newer: readonly Newer[], except?: FileChangeListener): Promise<void> {
    if (closed || ![...listeners].some((listener) => listener !== except)) return;
    const changes: FileChange[] = [];
    for (const { previous, stored } of newer) {
      const { id } = stored.body;
      // A later one may have been reported meanwhile.
      if (tracked.all.get(id)?.stored.version !== stored.version) continue;
      const whole = await store.get(id, { version: stored.version });
      if (whole !== undefined) changes.push(newVersion(previous, whole));
    }
    if (changes.length > 0) notify(changes, except);
  }

  /** Gives the watcher the paths that came into use, and takes away those that nothing is at. */
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

  /** The file at a path that has no object, if it is a tracked one that is not at its own path any more. */
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
    async track(objects, { except } = {}) {
      const paths: string[] = [];
      const newer: Newer[] = [];
      for (const stored of objects) {
        if (stored.body.type !== "file" && stored.body.type !== "note") continue;
        const previous = tracked.all.get(stored.body.id)?.stored;
        const file = tracked.put(stored);
        if (file !== undefined) paths.push(file.path);
        if (previous !== undefined && previous.version < stored.version)
          newer.push({ previous, stored });
      }
      await Promise.all([queue(async () => await notifyNewer(newer, except)), lookAt(paths)]);
    },
    untrack(removed) {
      for (const id of removed) tracked.remove(id);
      void queue(async () => {
        if (!closed) await watchPaths();
      });
    },
    async ready() {
      await queue(async () => undefined);
      await watcher.ready();
      await queue(async () => undefined);
    },
    check: async () => await lookAt([...tracked.all.values()].map(({ path }) => path)),
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
      return () => void listeners.delete(listener);
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
