import {
  fileBody,
  type Logger,
  metadataVersion,
  objectId,
  type ObjectId,
  type ObjectStore,
  sealObject,
  silentLogger,
  type StoredVersion,
  unreadFileBody,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import type { FileChange } from "../src/file-change.ts";
import { type FileTracker, fileTracker } from "../src/file-tracker.ts";
import { type FakeDisk, fakeDisk } from "./fake-disk.ts";

/** A tracker of files on a disk in memory. Its workspace is `/work`. */
export interface TrackedDisk {
  readonly disk: FakeDisk;
  readonly store: ObjectStore;
  readonly tracker: FileTracker;
  /** All changes that the tracker reported. */
  readonly changes: FileChange[];
  /** Advances the time so far that every later change is visible by size and time. */
  readonly later: () => void;
  /** Writes a file and stores its object, as a session does when it reads the file. */
  readonly index: (path: string, text: string | null) => Promise<ObjectId>;
  /** Stores the object of a file that was named and not read. */
  readonly name: (path: string) => Promise<ObjectId>;
  /** Indexes a file and tracks it. */
  readonly know: (path: string, text: string | null) => Promise<ObjectId>;
  /** Tracks objects in their latest versions. */
  readonly track: (...ids: readonly ObjectId[]) => Promise<void>;
  /** Tracks objects whose files were only named. */
  readonly trackNamed: (...ids: readonly ObjectId[]) => Promise<void>;
  /** Opens another tracker on the same disk and store, as the next session does. */
  readonly reopen: () => FileTracker;
  readonly latest: (id: ObjectId) => Promise<StoredVersion>;
  readonly types: (id: ObjectId) => readonly FileChange["type"][];
}

export interface TrackedDiskOptions {
  readonly logger?: Logger;
  /** Wraps the store that the tracker uses. */
  readonly wrap?: (store: ObjectStore) => ObjectStore;
}

/** Opens a tracker for a test. Time advances only when the test asks for it. */
export function trackedDisk(options: TrackedDiskOptions = {}): TrackedDisk {
  const { logger = silentLogger, wrap = (store: ObjectStore) => store } = options;
  const disk = fakeDisk();
  const { files, watcher } = disk;
  const store = memoryStore({ clock: { now: () => disk.now } });
  let count = 0;
  const ids = {
    next: () => {
      count += 1;
      return objectId(`0190bbbb-0000-7000-8000-${String(count).padStart(12, "0")}`);
    },
  };
  const open = (): FileTracker =>
    fileTracker({ store: wrap(store), files, watcher, ids, logger, workspace: "/work" });
  const tracker = open();
  const changes: FileChange[] = [];
  tracker.onChange((reported) => void changes.push(...reported));

  const opened: TrackedDisk = {
    disk,
    store,
    tracker,
    changes,
    later: () => void (disk.now += 60_000),
    async index(path, text) {
      disk.write(path, text);
      opened.later();
      const object = sealObject(fileBody(ids.next(), await files.read(path), "human"));
      await store.commit([{ object }]);
      opened.later();
      disk.reads.length = 0;
      return object.body.id;
    },
    async name(path) {
      const facts = await files.stat(path);
      if (facts === undefined) throw new Error(`there is no file at ${path}`);
      const object = sealObject(unreadFileBody(ids.next(), facts));
      await store.commit([{ object }]);
      opened.later();
      return object.body.id;
    },
    async know(path, text) {
      const id = await opened.index(path, text);
      await opened.track(id);
      opened.later();
      return id;
    },
    async track(...known) {
      await tracker.track(
        await Promise.all(known.map(async (id) => metadataVersion(await opened.latest(id)))),
      );
    },
    async trackNamed(...known) {
      await tracker.track(
        await Promise.all(known.map(async (id) => metadataVersion(await opened.latest(id)))),
        { onlyNamed: new Set(known) },
      );
    },
    reopen: open,
    async latest(id) {
      const stored = await store.get(id);
      if (stored === undefined) throw new Error(`there is no object ${id}`);
      return stored;
    },
    types: (id) => changes.filter((change) => change.id === id).map(({ type }) => type),
  };
  return opened;
}
