import {
  type Logger,
  metadataVersion,
  type ObjectId,
  presenceOf,
  type StoredMetadata,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";
import type { FileChangeListener, FileTracker } from "../files/file-tracker.ts";
import { joinPool, type SessionScope } from "../state/session-scope.ts";

/** Keeps what a session knows of its files as they are. */
export interface FileFollower {
  /** Takes in what became of files of the session's pool; what the model sees of it the layout decides. */
  takeIn(scope: SessionScope): void;
  /** Has files that joined the pool or got another version tracked; answers once they are compared with the disk. */
  track(scope: SessionScope): Promise<void>;
}

/** Follows a tracker, which several sessions may share. */
export function fileFollower(tracker: FileTracker, logger: Logger): FileFollower {
  const changed = new Map<ObjectId, StoredVersion>();
  const listener: FileChangeListener = (changes) => {
    for (const change of changes) {
      const isVersion = "previous" in change || change.type === "appeared";
      if (isVersion) changed.set(change.id, change.stored);
    }
  };
  tracker.onChange(listener);
  return {
    takeIn(scope) {
      for (const [id, stored] of changed) takeInVersion(scope, id, stored);
      changed.clear();
    },
    async track({ state }) {
      const objects: StoredMetadata[] = [];
      const ids = [...state.untracked];
      for (const id of ids) {
        const stored = state.pool.get(id)?.stored;
        if (stored !== undefined && presenceOf(stored.body) !== "unread") objects.push(stored);
      }
      state.untracked.clear();
      if (objects.length === 0) return;
      try {
        await tracker.track(objects, { except: listener });
      } catch (error) {
        // A watcher that is closed ends with its manager.
        if (StoreError.is(error)) {
          for (const id of ids) state.untracked.add(id);
          throw error;
        }
        logger.warn("files are not watched", { error });
      }
    },
  };
}

function takeInVersion(
  { state, contents }: SessionScope,
  id: ObjectId,
  stored: StoredVersion,
): void {
  const known = state.pool.get(id);
  if (known === undefined || known.stored.version >= stored.version) return;
  joinPool(state, metadataVersion(stored));
  // The tracker knows its own versions.
  state.untracked.delete(id);
  if (!state.active.has(id)) return;
  if (stored.body.content === null) contents.delete(id);
  else contents.set(id, stored);
}
