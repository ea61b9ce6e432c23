import {
  fileBody,
  metadataVersion,
  type ObjectId,
  objectId,
  type ObjectStore,
  sealObject,
  silentLogger,
  type StoredMetadata,
  StoreError,
  unreadFileBody,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { describe, expect, it } from "vitest";
import type { FileChange } from "../../src/files/file-change.ts";
import {
  type FileChangeListener,
  type FileTracker,
  fileTracker,
} from "../../src/files/file-tracker.ts";
import { type FakeDisk, fakeDisk } from "./fake-disk.ts";

/** A tracker over a disk and a store in memory, with all that it told. */
interface Tracked extends AsyncDisposable {
  readonly disk: FakeDisk;
  readonly store: ObjectStore;
  readonly tracker: FileTracker;
  readonly changes: FileChange[];
  readonly listener: FileChangeListener;
  /** Stores what is at a path as an object, and tracks it. */
  track(path: string): Promise<ObjectId>;
  /** Waits until the tracker has worked on what the disk told, and answers an object's latest version. */
  settled(id: ObjectId): Promise<StoredMetadata | undefined>;
}

interface TrackedOptions {
  readonly files: Readonly<Record<string, string>>;
  /** Refuses a commit where it says so. */
  readonly isAway?: () => boolean;
}

function openTracked({ files, isAway = () => false }: TrackedOptions): Tracked {
  const disk = fakeDisk(files);
  // Versions are stored long after the files were written, so that their times are in no doubt.
  const inner = memoryStore({ clock: { now: () => 1_800_000_000_000 } });
  const store: ObjectStore = {
    ...inner,
    commit: async (...args) => {
      if (isAway()) throw new StoreError("STORE_UNAVAILABLE", "away for a moment; try again");
      return await inner.commit(...args);
    },
  };
  let count = 0;
  const next = (): ObjectId => {
    count += 1;
    return objectId(`f-${count}`);
  };
  const tracker = fileTracker({
    store,
    files: disk.files,
    watcher: disk.watcher,
    ids: { next },
    logger: silentLogger,
    workspace: "/work",
  });
  const changes: FileChange[] = [];
  const listener: FileChangeListener = (some) => void changes.push(...some);
  tracker.onChange(listener);
  const settled = async (id: ObjectId): Promise<StoredMetadata | undefined> => {
    await tracker.ready();
    return (await store.describe([id]))[0];
  };
  return {
    disk,
    store,
    tracker,
    changes,
    listener,
    settled,
    async track(path) {
      const id = next();
      await store.commit([
        { object: sealObject(fileBody(id, await disk.files.read(path), "human")) },
      ]);
      const stored = await settled(id);
      if (stored !== undefined) await tracker.track([stored], { except: listener });
      return id;
    },
    [Symbol.asyncDispose]: async () => await tracker[Symbol.asyncDispose](),
  };
}

/** What a tracker told, by type and version. */
function told(changes: readonly FileChange[]): readonly string[] {
  return changes.map(({ type, stored }) => `${type} v${stored.version}`);
}

describe("a tracked file", () => {
  it("has a version of its own for each change, by a human", async () => {
    await using tracked = openTracked({ files: { "/work/a.ts": "one\n" } });
    const id = await tracked.track("/work/a.ts");

    tracked.disk.write("/work/a.ts", "two\n");

    const stored = await tracked.settled(id);
    expect(stored?.version).toBe(2);
    expect(stored?.body.provenance.generator).toBe("human");
    expect((await tracked.store.get(id))?.body.content).toBe("two\n");
    expect(told(tracked.changes)).toEqual(["changed v2"]);
  });

  it("is left alone while a tool of the agent's writes it, and looked at afterwards", async () => {
    await using tracked = openTracked({ files: { "/work/a.ts": "one\n" } });
    const id = await tracked.track("/work/a.ts");

    const hold = await tracked.tracker.hold("/work/a.ts");
    tracked.disk.write("/work/a.ts", "two\n");
    const during = await tracked.settled(id);
    await hold[Symbol.asyncDispose]();

    expect(during?.version).toBe(1);
    expect((await tracked.settled(id))?.version).toBe(2);
  });

  it("has its version later where the store was away when it changed", async () => {
    let isAway = false;
    await using tracked = openTracked({
      files: { "/work/a.ts": "one\n", "/work/b.ts": "other\n" },
      isAway: () => isAway,
    });
    const id = await tracked.track("/work/a.ts");
    const other = await tracked.track("/work/b.ts");
    isAway = true;
    tracked.disk.write("/work/a.ts", "two\n");
    await tracked.settled(id);

    isAway = false;
    tracked.disk.write("/work/b.ts", "changed\n");

    expect((await tracked.settled(other))?.version).toBe(2);
    expect((await tracked.settled(id))?.version).toBe(2);
  });

  it("keeps a later version where an earlier read is stored after it", async () => {
    await using tracked = openTracked({ files: { "/work/a.ts": "one\n" } });
    const { disk, store } = tracked;
    const id = await tracked.track("/work/a.ts");
    const committed = Promise.withResolvers<void>();
    const storeNewest = async (): Promise<void> => {
      const [stored, file] = [await store.get(id), await disk.files.read("/work/a.ts")];
      const body = fileBody(id, file, "agent", stored?.body);
      await store.commit([{ object: sealObject(body) }]);
      committed.resolve();
    };
    // Another session writes the file and stores it between this tracker's read and its commit.
    disk.beforeRead(() => {
      disk.write("/work/a.ts", "three\n");
      void storeNewest();
    });

    disk.write("/work/a.ts", "two\n");
    await committed.promise;
    await tracked.settled(id);

    expect((await store.get(id))?.body.content).toBe("three\n");
  });

  it("is not read where its name looks like a secret's", async () => {
    await using tracked = openTracked({ files: { "/work/.env": "KEY=1\n" } });
    const id = await tracked.track("/work/.env");
    tracked.disk.reads.length = 0;

    tracked.disk.write("/work/.env", "KEY=2\n");

    expect((await tracked.settled(id))?.version).toBe(1);
    expect(tracked.disk.reads).toEqual([]);
    expect(told(tracked.changes)).toEqual(["outdated v1"]);
  });

  it("is the same object where it was moved, and gone where it is nowhere", async () => {
    await using tracked = openTracked({ files: { "/work/a.ts": "one\n", "/work/b.ts": "two\n" } });
    const moved = await tracked.track("/work/a.ts");
    const deleted = await tracked.track("/work/b.ts");

    tracked.disk.move("/work/a.ts", "/work/moved.ts");
    tracked.disk.delete("/work/b.ts");

    expect((await tracked.settled(moved))?.body["path"]).toBe("/work/moved.ts");
    expect((await tracked.settled(deleted))?.body["presence"]).toBe("missing");
  });

  it("is gone although another of its size came meanwhile", async () => {
    await using tracked = openTracked({ files: { "/work/a.ts": "one\n" } });
    const id = await tracked.track("/work/a.ts");

    tracked.disk.write("/work/b.ts", "two\n");
    tracked.disk.delete("/work/a.ts");

    expect((await tracked.settled(id))?.body["presence"]).toBe("missing");
  });

  it("is adopted at its new path before an object is made for that", async () => {
    await using tracked = openTracked({ files: { "/work/a.ts": "one\n" } });
    const { disk, tracker } = tracked;
    const id = await tracked.track("/work/a.ts");
    await tracker.ready();
    disk.move("/work/a.ts", "/work/moved.ts");

    expect(await tracker.adopt("/work/moved.ts")).toBe(id);
    expect(await tracker.adopt("/work/nothing.ts")).toBeUndefined();
  });
});

describe("a version that a session stores itself", () => {
  it("is told to the other sessions of the tracker, and not to that one", async () => {
    await using tracked = openTracked({ files: { "/work/a.ts": "one\n" } });
    const { disk, store, tracker, listener } = tracked;
    const others: FileChange[] = [];
    tracker.onChange((some) => void others.push(...some));
    const id = await tracked.track("/work/a.ts");
    const hold = await tracker.hold("/work/a.ts");
    disk.write("/work/a.ts", "two\n");
    const file = await disk.files.read("/work/a.ts");
    const earlier = await store.get(id);
    await store.commit([{ object: sealObject(fileBody(id, file, "agent", earlier?.body)) }]);
    const stored = await store.get(id);

    if (stored !== undefined) await tracker.track([metadataVersion(stored)], { except: listener });
    await hold[Symbol.asyncDispose]();

    expect(told(others)).toEqual(["changed v2"]);
    expect(told(tracked.changes)).toEqual([]);
  });
});

describe("a file that was only named", () => {
  it("stays unread when it changes", async () => {
    await using tracked = openTracked({ files: { "/work/a.ts": "one\n" } });
    const { disk, store, tracker } = tracked;
    const id = objectId("named");
    const facts = await disk.files.stat("/work/a.ts");
    if (facts === undefined) throw new TypeError("there is a file");
    await store.commit([{ object: sealObject(unreadFileBody(id, facts)) }]);
    const [stored] = await store.describe([id]);
    if (stored !== undefined) await tracker.track([stored]);

    disk.write("/work/a.ts", "longer than one\n");

    expect((await tracked.settled(id))?.body).toMatchObject({ presence: "unread", size: 16 });
    expect(disk.reads).toEqual([]);
  });
});
