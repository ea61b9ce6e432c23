import {
  fileBody,
  metadataVersion,
  objectId,
  type ObjectStore,
  sealObject,
  silentLogger,
  StoreError,
} from "@self-context-manager/objects";
import { expect, test } from "vitest";
import type { FileChange } from "../src/file-change.ts";
import { trackedDisk } from "./tracked-disk.ts";

test("a changed file gets one version with its content and the generator `human`", async () => {
  const { disk, know, latest, tracker, changes } = trackedDisk();
  const id = await know("/work/a.txt", "one");

  disk.write("/work/a.txt", "two");
  await tracker.check();

  const stored = await latest(id);
  expect(stored).toMatchObject({
    version: 2,
    body: { content: "two", path: "/work/a.txt", provenance: { generator: "human" } },
  });
  expect(changes).toEqual([
    { id, type: "changed", stored, previous: expect.objectContaining({ version: 1 }) as unknown },
  ]);
});

test("a file that nobody touched is not read", async () => {
  const { disk, know, tracker } = trackedDisk();
  await know("/work/a.txt", "one");

  await tracker.check();

  expect(disk.reads).toEqual([]);
});

test("a sighting that the watcher reports is stored when the tracker is ready", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "one");
  disk.write("/work/a.txt", "two");

  disk.watcher.tell("/work/a.txt");
  await tracker.ready();

  expect((await latest(id)).body.content).toBe("two");
});

test("a change that the watcher has not reported yet is stored when the tracker is ready", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "one");
  disk.write("/work/a.txt", "two");

  await tracker.ready();

  expect((await latest(id)).body.content).toBe("two");
});

test("the watcher gets the path of a tracked file with its last sighting", async () => {
  const { disk, know } = trackedDisk();

  await know("/work/a.txt", "one");

  const { modified = 0 } = (await disk.files.stat("/work/a.txt")) ?? {};
  expect([...disk.watcher.known.values()]).toEqual([
    { path: "/work/a.txt", seen: { size: 3, modified, node: "disk:1" } },
  ]);
});

test("a file that is no longer tracked is neither watched nor stored", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "one");

  tracker.untrack([id]);
  disk.write("/work/a.txt", "two");
  disk.watcher.tell("/work/a.txt");
  await tracker.ready();

  expect(disk.watcher.known.size).toBe(0);
  expect((await latest(id)).version).toBe(1);
});

test("a file is tracked until the last listener that tracks it is removed", async () => {
  const { disk, index, latest, tracker } = trackedDisk();
  const ids = [await index("/work/a.txt", "one"), await index("/work/b.txt", "one")];
  const both = await Promise.all(ids.map(async (id) => metadataVersion(await latest(id))));
  const [one, other] = [() => undefined, () => undefined];
  const [removeOne, removeOther] = [tracker.onChange(one), tracker.onChange(other)];
  await tracker.track(both, { except: one });
  await tracker.track(both.slice(1), { except: other });
  const watched = async (): Promise<readonly string[]> => {
    await tracker.ready();
    return [...disk.watcher.known.keys()];
  };

  removeOne();
  const afterOne = await watched();
  removeOther();

  expect([afterOne, await watched()]).toEqual([["/work/b.txt"], []]);
});

test("a file that a caller without a listener tracks stays tracked when a listener is removed", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "one");
  const listener = (): undefined => undefined;
  const remove = tracker.onChange(listener);
  await tracker.track([metadataVersion(await latest(id))], { except: listener });

  remove();
  await tracker.ready();

  expect([...disk.watcher.known.keys()]).toEqual(["/work/a.txt"]);
});

test("a file that is replaced by something unreadable keeps its last version and is reported once", async () => {
  const { disk, know, latest, tracker, changes } = trackedDisk();
  const id = await know("/work/a.txt", "one");

  disk.hide("/work/a.txt", true);
  await tracker.check();
  await tracker.check();

  expect((await latest(id)).version).toBe(1);
  expect(changes).toEqual([
    {
      id,
      type: "unreadable",
      stored: expect.objectContaining({ version: 1 }) as unknown,
      reason: "/work/a.txt cannot be examined; its last version is kept.",
    },
  ]);
});

test.each(["FILE_UNREADABLE", "FILE_TOO_LARGE"] as const)(
  "a file whose read fails with %s keeps its last version, and the reason is reported",
  async (code) => {
    const { disk, know, latest, tracker, changes } = trackedDisk();
    const id = await know("/work/a.txt", "one");

    disk.refuse("/work/a.txt", code);
    await tracker.check();

    expect((await latest(id)).version).toBe(1);
    expect(changes).toMatchObject([
      { id, type: "unreadable", reason: "/work/a.txt cannot be read. Its last version is kept." },
    ]);
  },
);

test("a file that can be read again is reported once", async () => {
  const { disk, know, tracker, types } = trackedDisk();
  const id = await know("/work/a.txt", "one");
  disk.refuse("/work/a.txt", "FILE_UNREADABLE");
  await tracker.check();

  disk.refuse("/work/a.txt", undefined);
  await tracker.check();
  await tracker.check();

  expect(types(id)).toEqual(["unreadable", "readable"]);
});

test("an error of the file source that is not a `FileError` rejects the check", async () => {
  const { disk, know, tracker } = trackedDisk();
  await know("/work/a.txt", "one");
  disk.write("/work/a.txt", "two");
  Object.assign(disk.files, {
    read: async () => await Promise.reject(new Error("the disk was pulled out")),
  });

  await expect(tracker.check()).rejects.toThrow("the disk was pulled out");
});

test("a file whose name suggests secrets is not read, and its difference is reported once", async () => {
  const { disk, know, latest, tracker, changes } = trackedDisk();
  const id = await know("/work/.env", "one");

  disk.write("/work/.env", "two");
  await tracker.check();
  await tracker.check();

  expect(disk.reads).toEqual([]);
  expect((await latest(id)).body.content).toBe("one");
  expect(changes).toMatchObject([
    {
      id,
      type: "outdated",
      reason:
        "/work/.env changed; its name looks like a secret's, so it is read only when a read names it.",
    },
  ]);
});

test("a change of a file that was named and not read stores its new size and no content", async () => {
  const { disk, name, later, track, latest, tracker } = trackedDisk();
  disk.write("/work/a.txt", "one");
  const id = await name("/work/a.txt");
  await track(id);
  later();

  disk.write("/work/a.txt", "three");
  await tracker.check();

  expect(disk.reads).toEqual([]);
  expect(await latest(id)).toMatchObject({
    version: 2,
    body: { content: null, presence: "unread", size: 5 },
  });
});

test("a file that was named and not read gets no version when only its time changes", async () => {
  const { disk, name, later, track, latest, tracker } = trackedDisk();
  disk.write("/work/a.txt", "one");
  const id = await name("/work/a.txt");
  await track(id);
  later();

  disk.write("/work/a.txt", "two");
  await tracker.check();

  expect((await latest(id)).version).toBe(1);
});

test("a change under a hold is stored only when the last hold on the file ends", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "one");
  const first = await tracker.hold("/work/a.txt");
  const second = await tracker.hold("/work/a.txt");
  disk.write("/work/a.txt", "two");
  await tracker.check();

  await first[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  const between = (await latest(id)).version;
  await second[Symbol.asyncDispose]();

  expect(between).toBe(1);
  expect((await latest(id)).body.content).toBe("two");
});

test("a version that one session stored is reported to the others and not to itself", async () => {
  const { store, know, latest, tracker, changes } = trackedDisk();
  const id = await know("/work/a.txt", "one");
  const own: FileChange[] = [];
  const listener = (reported: readonly FileChange[]): void => void own.push(...reported);
  tracker.onChange(listener);
  const before = await latest(id);
  await store.commit([{ object: sealObject({ ...before.body, nickname: "notes" }) }]);
  const after = await latest(id);

  await tracker.track([metadataVersion(after)], { except: listener });

  expect(own).toEqual([]);
  expect(changes).toEqual([
    { id, type: "changed", stored: after, previous: metadataVersion(before) },
  ]);
});

test("a listener that fails does not keep other listeners from being called", async () => {
  const errors: string[] = [];
  const logger = { ...silentLogger, error: (message: string) => void errors.push(message) };
  const { disk, know, tracker } = trackedDisk({ logger });
  const id = await know("/work/a.txt", "one");
  const heard: string[] = [];
  tracker.onChange(() => {
    throw new Error("a listener's fault");
  });
  tracker.onChange((reported) => void heard.push(...reported.map((change) => change.id)));

  disk.write("/work/a.txt", "two");
  await tracker.check();

  expect(heard).toEqual([id]);
  expect(errors).toEqual(["a listener to changes of files failed"]);
});

test("a listener that was removed is not called", async () => {
  const { disk, know, tracker } = trackedDisk();
  await know("/work/a.txt", "one");
  const heard: FileChange[] = [];
  const stop = tracker.onChange((reported) => void heard.push(...reported));

  stop();
  disk.write("/work/a.txt", "two");
  await tracker.check();

  expect(heard).toEqual([]);
});

test("a change that could not be stored is stored with the next sighting", async () => {
  let isFull = true;
  const { disk, know, latest, tracker } = trackedDisk({
    wrap: (store) =>
      refusing(store, () =>
        isFull ? new StoreError("STORE_FULL", "the disk is full") : undefined,
      ),
  });
  const a = await know("/work/a.txt", "one");
  const b = await know("/work/b.txt", "one");
  disk.write("/work/a.txt", "two");
  disk.watcher.tell("/work/a.txt");
  await tracker.ready();
  isFull = false;

  disk.write("/work/b.txt", "two");
  disk.watcher.tell("/work/b.txt");
  await tracker.ready();

  expect((await latest(a)).body.content).toBe("two");
  expect((await latest(b)).body.content).toBe("two");
});

test("a check rejects with the store's error", async () => {
  const { disk, know, tracker } = trackedDisk({
    wrap: (store) => refusing(store, () => new StoreError("STORE_FULL", "the disk is full")),
  });
  await know("/work/a.txt", "one");
  disk.write("/work/a.txt", "two");

  await expect(tracker.check()).rejects.toMatchObject({ code: "STORE_FULL" });
});

test("a change that another session stored first gets no second version", async () => {
  let others: (() => Promise<void>) | undefined;
  const { disk, store, know, latest, tracker, types } = trackedDisk({
    wrap: (inner) =>
      Object.assign(Object.create(inner) as ObjectStore, {
        commit: async (...args: Parameters<ObjectStore["commit"]>) => {
          const first = others;
          others = undefined;
          await first?.();
          return await inner.commit(...args);
        },
      }),
  });
  const id = await know("/work/a.txt", "one");
  const before = await latest(id);
  disk.write("/work/a.txt", "two");
  others = async () => {
    const object = sealObject({ ...before.body, content: "two", char_count: 3 });
    await store.commit([{ object, expect: 1 }]);
  };

  await tracker.check();

  expect(await latest(id)).toMatchObject({ version: 2, body: { content: "two" } });
  expect(types(id)).toEqual(["changed"]);
});

test("a late read is not stored after a later version of another session", async () => {
  const { disk, store, know, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "one");
  disk.write("/work/a.txt", "two");
  disk.afterRead(async () => {
    disk.write("/work/a.txt", "three");
    const body = fileBody(id, await disk.files.read("/work/a.txt"), "agent");
    await store.commit([{ object: sealObject(body), expect: 1 }]);
  });

  await tracker.check();

  expect(await latest(id)).toMatchObject({
    version: 2,
    body: { content: "three", provenance: { generator: "agent" } },
  });
});

test("disposal closes the watcher, and later changes are not stored", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "one");

  await tracker[Symbol.asyncDispose]();
  disk.write("/work/a.txt", "two");
  disk.watcher.tell("/work/a.txt");
  await tracker.check();

  expect(disk.watcher.isClosed).toBe(true);
  expect((await latest(id)).version).toBe(1);
});

test("an object that is neither a file nor a note is ignored", async () => {
  const { disk, store, latest, track } = trackedDisk();
  const id = objectId("0190bbbb-0000-7000-8000-0000000000ff");
  const provenance = { origin: "/work/a.ts", generator: "human" } as const;
  const skill = { id, type: "skill", locked: false, content: "hello\n", path: "/work/a.ts" };
  await store.commit([{ object: sealObject({ ...skill, presence: "present", provenance }) }]);

  await track((await latest(id)).body.id);

  expect(disk.watcher.known.size).toBe(0);
});

/** A store that refuses some commits. */
function refusing(inner: ObjectStore, error: () => Error | undefined): ObjectStore {
  return Object.assign(Object.create(inner) as ObjectStore, {
    commit: async (...args: Parameters<ObjectStore["commit"]>) => {
      const refused = error();
      if (refused !== undefined) throw refused;
      return await inner.commit(...args);
    },
  });
}

const large = "line\n".repeat(300_000);

test("a large file that grows gets a version with its size, and is not read", async () => {
  const { disk, know, latest, tracker, types } = trackedDisk();
  const id = await know("/work/a.log", large);

  for (const more of ["one\n", "one\ntwo\n"]) {
    disk.write("/work/a.log", large + more);
    await tracker.check();
  }

  expect(disk.reads).toEqual([]);
  expect((await latest(id)).body).toMatchObject({
    content: null,
    presence: "unread",
    size: large.length + 8,
    path: "/work/a.log",
  });
  expect(types(id)).toEqual(["changed", "changed"]);
});

test("a large file that was only touched gets no version", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const id = await know("/work/a.log", large);

  disk.write("/work/a.log", large);
  await tracker.check();

  expect((await latest(id)).version).toBe(1);
});
