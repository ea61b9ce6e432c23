import {
  type Logger,
  metadataVersion,
  type ObjectId,
  presenceOf,
  type StoredMetadata,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";
import type { FileChangeListener, FileTracker } from "@self-context-manager/tracker";
import { filesRead, isLargeUnread } from "../calls/toolcall-object.ts";
import { joinPool, type SessionScope } from "../state/session-scope.ts";

/**
 * Keeps the file objects of a session up to date. Disposal ends the tracking of files that no other follower tracks, and
 * releases the holds.
 */
export interface FileFollower extends AsyncDisposable {
  /** Adds new versions of the session's files to its pool. The layout decides what the model sees of them. */
  takeIn(scope: SessionScope): void;
  /** Tracks files that joined the pool or got another version. Resolves when they are compared with the disk. */
  track(scope: SessionScope): Promise<void>;
  /** Holds a path as the tracker does, at most until this follower is disposed of. */
  hold(path: string): Promise<AsyncDisposable>;
}

/** Returns a follower of a tracker, which several sessions can share. */
export function fileFollower(tracker: FileTracker, logger: Logger): FileFollower {
  const changed = new Map<ObjectId, StoredVersion>();
  const holds = new Set<Promise<AsyncDisposable>>();
  const listener: FileChangeListener = (changes) => {
    for (const change of changes) {
      const isVersion = "previous" in change || change.type === "appeared";
      if (isVersion) changed.set(change.id, change.stored);
    }
  };
  const stop = tracker.onChange(listener);
  return {
    takeIn(scope) {
      for (const [id, stored] of changed) takeInVersion(scope, id, stored);
      changed.clear();
    },
    async track({ state }) {
      const objects: StoredMetadata[] = [];
      const onlyNamed = new Set<ObjectId>();
      const ids = [...state.pool.untracked];
      let read: ReadonlySet<ObjectId> | undefined;
      for (const id of ids) {
        const stored = state.pool.get(id)?.stored;
        if (stored === undefined) continue;
        objects.push(stored);
        // Of a large file that has grown, the newest version is unread, and a file can be too large to be read at all.
        const isRead = isLargeUnread(stored.body) && (read ??= readFiles(state)).has(id);
        const isShown = state.shown.has(id) || state.active.has(id) || isRead;
        const presence = presenceOf(stored.body);
        if (!isShown && (presence === "unread" || presence === "missing")) onlyNamed.add(id);
      }
      state.pool.noteTracked(ids);
      if (objects.length === 0) return;
      try {
        await tracker.track(objects, { except: listener, onlyNamed });
      } catch (error) {
        // A closed watcher means that its manager is closed.
        if (StoreError.is(error)) {
          for (const id of ids) state.pool.noteUntracked(id);
          throw error;
        }
        logger.warn("files are not watched", { error });
      }
    },
    async hold(path) {
      const holding = tracker.hold(path);
      holds.add(holding);
      const hold = await holding;
      return {
        async [Symbol.asyncDispose]() {
          holds.delete(holding);
          await hold[Symbol.asyncDispose]();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      stop();
      const held = await Promise.all(holds);
      const released = held.map(async (hold) => await hold[Symbol.asyncDispose]());
      for (const result of await Promise.allSettled(released)) {
        // A file that another session follows is compared again with its next change, so the follower can end.
        if (result.status === "rejected")
          logger.warn("files could not be compared with the disk", { error: result.reason });
      }
    },
  };
}

/** Returns the files that a tool of the host has read. */
function readFiles({ pool }: SessionScope["state"]): ReadonlySet<ObjectId> {
  return new Set(
    [...pool.entries.values()].flatMap(({ stored }) => filesRead(stored.body).map(({ id }) => id)),
  );
}

function takeInVersion(
  { state, contents }: SessionScope,
  id: ObjectId,
  stored: StoredVersion,
): void {
  const known = state.pool.get(id);
  if (known === undefined || known.stored.version >= stored.version) return;
  joinPool(state, metadataVersion(stored));
  // The tracker has the versions that it made.
  state.pool.noteTracked([id]);
  if (stored.body.content === null) contents.delete(id);
}
