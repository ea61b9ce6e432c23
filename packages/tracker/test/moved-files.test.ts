import { type ObjectId, type StoredVersion } from "@self-context-manager/objects";
import { expect, test } from "vitest";
import { type TrackedDisk, trackedDisk } from "./tracked-disk.ts";

test("a renamed file is the same object in a version with its new path", async () => {
  const { disk, know, latest, tracker, changes } = trackedDisk();
  const id = await know("/work/a.txt", "a text");

  disk.rename("/work/a.txt", "/work/folder/b.md");
  await tracker.check();

  const stored = await latest(id);
  expect(stored).toMatchObject({
    version: 2,
    body: {
      content: "a text",
      path: "/work/folder/b.md",
      file_type: "markdown",
      provenance: { origin: "/work/folder/b.md", generator: "human" },
    },
  });
  expect(changes).toMatchObject([
    { id, type: "moved", stored, previous: { body: { path: "/work/a.txt" } } },
  ]);
});

test("a renamed file is not read", async () => {
  const { disk, know, tracker } = trackedDisk();
  await know("/work/a.txt", "a text");

  disk.rename("/work/a.txt", "/work/b.txt");
  await tracker.check();

  expect(disk.reads).toEqual([]);
});

test("a renamed file is watched at its new path only", async () => {
  const { disk, know, tracker } = trackedDisk();
  await know("/work/a.txt", "a text");

  disk.rename("/work/a.txt", "/work/b.txt");
  await tracker.check();

  expect([...disk.watcher.known.keys()]).toEqual(["/work/b.txt"]);
});

test("a file that was renamed and changed has its new path and its new content", async () => {
  const { disk, know, later, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "a text");

  disk.rename("/work/a.txt", "/work/b.txt");
  later();
  disk.write("/work/b.txt", "another text");
  await tracker.check();

  expect((await latest(id)).body).toMatchObject({ path: "/work/b.txt", content: "another text" });
});

test("a file that was changed and renamed to a name that suggests secrets keeps its stored content", async () => {
  const { disk, know, later, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "a text");

  disk.rename("/work/a.txt", "/work/secret.key");
  later();
  disk.write("/work/secret.key", "another text");
  await tracker.check();

  expect(disk.reads).toEqual([]);
  expect((await latest(id)).body).toMatchObject({ path: "/work/secret.key", content: "a text" });
});

test("a file that was named and never read stays unread when it is renamed", async () => {
  const { disk, name, later, track, latest, tracker } = trackedDisk();
  disk.write("/work/a.txt", "a text");
  const id = await name("/work/a.txt");
  await track(id);
  later();

  disk.rename("/work/a.txt", "/work/b.txt");
  await tracker.check();

  expect((await latest(id)).body).toMatchObject({ path: "/work/b.txt", presence: "unread" });
});

test.each([
  ["has other content", "a text", { "/work/b.txt": "b text" }],
  ["is empty, like the vanished one", "", { "/work/b.txt": "" }],
  ["is one of two copies", "a text", { "/work/b.txt": "a text", "/work/c.txt": "a text" }],
])(
  "a file of the same size is not treated as the vanished file if it %s",
  async (_, text, files) => {
    const { disk, know, latest, tracker } = trackedDisk();
    const id = await know("/work/a.txt", text);

    for (const [path, content] of Object.entries(files)) disk.write(path, content);
    disk.remove("/work/a.txt");
    await tracker.check();

    expect((await latest(id)).body["presence"]).toBe("missing");
  },
);

test("a copy from long before the file vanished is not treated as the file", async () => {
  const { disk, know, later, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "a text");

  disk.write("/work/old-copy.txt", "a text");
  later();
  disk.remove("/work/a.txt");
  await tracker.check();

  expect((await latest(id)).body["presence"]).toBe("missing");
});

test("a copy outside the workspace is not read in the search for a vanished file", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "a text");

  disk.write("/elsewhere/a.txt", "a text");
  disk.remove("/work/a.txt");
  await tracker.check();

  expect(disk.reads).toEqual([]);
  expect((await latest(id)).body["presence"]).toBe("missing");
});

test("a copy with its own object is not treated as the vanished file", async () => {
  const { disk, know, index, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "a text");

  const copy = await index("/work/b.txt", "a text");
  disk.write("/work/b.txt", "a text");
  disk.remove("/work/a.txt");
  await tracker.check();

  expect((await latest(id)).body["presence"]).toBe("missing");
  expect((await latest(copy)).version).toBe(1);
});

test("the copy with the same name as the vanished file is the file if there are two copies", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "a text");

  disk.write("/work/b.txt", "a text");
  disk.write("/work/folder/a.txt", "a text");
  disk.remove("/work/a.txt");
  await tracker.check();

  expect((await latest(id)).body["path"]).toBe("/work/folder/a.txt");
});

test("two files with the same content that were copied and deleted are distinguished by their names", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const one = await know("/work/a.txt", "a text");
  const other = await know("/work/b.txt", "a text");

  for (const name of ["a.txt", "b.txt"]) {
    disk.write(`/work/folder/${name}`, "a text");
    disk.remove(`/work/${name}`);
  }
  await tracker.check();

  expect((await latest(one)).body["path"]).toBe("/work/folder/a.txt");
  expect((await latest(other)).body["path"]).toBe("/work/folder/b.txt");
});

test("a file that is moved onto another keeps its object, and the other is missing", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const a = await know("/work/a.txt", "text a");
  const b = await know("/work/b.txt", "text b");

  disk.rename("/work/a.txt", "/work/b.txt");
  disk.watcher.tell("/work/b.txt");
  await tracker.ready();

  expect((await latest(a)).body).toMatchObject({ path: "/work/b.txt", content: "text a" });
  expect((await latest(b)).body).toMatchObject({ path: null, content: null });
});

test("a second name of a known file is not a move", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const a = await know("/work/a.txt", "text a");
  const b = await know("/work/b.txt", "text b");

  disk.link("/work/a.txt", "/work/b.txt");
  disk.watcher.tell("/work/b.txt");
  await tracker.ready();

  expect((await latest(a)).body).toMatchObject({ path: "/work/a.txt" });
  expect((await latest(b)).body).toMatchObject({ content: "text a", path: "/work/b.txt" });
});

test("a file that the model names at its new path before the watcher reports the move keeps its object", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "a text");
  disk.rename("/work/a.txt", "/work/b.txt");

  const adopted = await tracker.adopt("/work/b.txt");

  expect(adopted).toBe(id);
  expect((await latest(id)).body["path"]).toBe("/work/b.txt");
});

test("a second name of a file that was not moved is not adopted", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "a text");
  disk.link("/work/a.txt", "/work/b.txt");

  const adopted = await tracker.adopt("/work/b.txt");

  expect(adopted).toBeUndefined();
  expect((await latest(id)).version).toBe(1);
});

test("a file that was moved and replaced at its old path is adopted at the new one", async () => {
  const { disk, know, later, latest, tracker } = trackedDisk();
  disk.write("/work/stranger.txt", "another text");
  later();
  const id = await know("/work/a.txt", "a text");
  disk.rename("/work/a.txt", "/work/b.txt");
  disk.rename("/work/stranger.txt", "/work/a.txt");

  const adopted = await tracker.adopt("/work/b.txt");

  expect(adopted).toBe(id);
  expect((await latest(id)).body).toMatchObject({ path: "/work/b.txt", content: "a text" });
});

test("an unknown file is not adopted, and neither is a path without a file", async () => {
  const { disk, know, tracker } = trackedDisk();
  await know("/work/a.txt", "a text");
  disk.write("/work/b.txt", "b text");

  expect(await tracker.adopt("/work/b.txt")).toBeUndefined();
  expect(await tracker.adopt("/work/nothing.txt")).toBeUndefined();
});

test("a new file that has the node of a deleted one is not adopted as it", async () => {
  const { disk, know, tracker } = trackedDisk();
  await know("/work/a.txt", "a text");
  disk.remove("/work/a.txt");
  disk.reuseNode("disk:1");
  disk.write("/work/b.txt", "b text that is longer");

  expect(await tracker.adopt("/work/b.txt")).toBeUndefined();
});

test("a file that is created again at its last path is the same object", async () => {
  const { disk, know, later, latest, tracker, types } = trackedDisk();
  const id = await know("/work/a.txt", "one");
  disk.remove("/work/a.txt");
  await tracker.check();
  later();

  disk.write("/work/a.txt", "two");
  await tracker.check();

  expect((await latest(id)).body).toMatchObject({ path: "/work/a.txt", content: "two" });
  expect(types(id)).toEqual(["vanished", "returned"]);
});

test("a file whose name suggests secrets is unread when it is created again at its last path", async () => {
  const { disk, know, later, latest, tracker } = trackedDisk();
  const id = await know("/work/.env", "one");
  disk.remove("/work/.env");
  await tracker.check();
  later();

  disk.write("/work/.env", "two");
  await tracker.check();

  expect(disk.reads).toEqual([]);
  expect((await latest(id)).body).toMatchObject({ presence: "unread", content: null, size: 3 });
});

test("a file that disappears between its sighting and its read is missing", async () => {
  const { disk, know, latest, tracker } = trackedDisk();
  const id = await know("/work/a.txt", "one");
  disk.write("/work/a.txt", "two");
  disk.watcher.tell("/work/a.txt");

  disk.remove("/work/a.txt");
  await tracker.ready();

  expect((await latest(id)).body["presence"]).toBe("missing");
});

test("an unrelated file that replaces another at its path is a separate object, unread", async () => {
  const opened = trackedDisk();
  const { id, stranger } = await displaced(opened, "a stranger's text");

  expect((await opened.latest(id)).body["presence"]).toBe("missing");
  expect(stranger).toMatchObject({
    version: 1,
    body: { type: "file", path: "/work/a.txt", presence: "unread", content: null, size: 17 },
  });
  expect(opened.types(stranger?.body.id as ObjectId)).toEqual(["appeared"]);
});

test("a file with the same content that replaces another at its path is the same object", async () => {
  const opened = trackedDisk();
  const { id, stranger } = await displaced(opened, "a text");

  expect(await opened.latest(id)).toMatchObject({
    version: 1,
    body: { path: "/work/a.txt", content: "a text" },
  });
  expect(stranger?.body.id).toBe(id);
});

test("a binary file that replaces another at its path is a separate object", async () => {
  const opened = trackedDisk();
  const { id, stranger } = await displaced(opened, null);

  expect((await opened.latest(id)).body["presence"]).toBe("missing");
  expect(stranger?.body.id).not.toBe(id);
});

test("an unrelated file that already has an object gets no second one", async () => {
  const { disk, name, know, later, store, tracker } = trackedDisk();
  disk.write("/work/stranger.txt", "a stranger's text");
  later();
  await know("/work/a.txt", "a text");
  disk.rename("/work/stranger.txt", "/work/a.txt");
  await name("/work/a.txt");

  await tracker.check();

  const { items } = await store.find({ where: { type: "file", path: "/work/a.txt" } });
  expect(items).toHaveLength(1);
});

test("the object that was at a path last is the one that returns there", async () => {
  const { disk, know, later, latest, tracker } = trackedDisk();
  const first = await know("/work/a.txt", "one");
  disk.remove("/work/a.txt");
  await tracker.check();
  later();
  const second = await know("/work/a.txt", "two");
  disk.remove("/work/a.txt");
  await tracker.check();
  later();

  disk.write("/work/a.txt", "three");
  await tracker.check();

  expect((await latest(first)).body["presence"]).toBe("missing");
  expect((await latest(second)).body).toMatchObject({ presence: "present", content: "three" });
});

/** Replaces a known file by a file that existed elsewhere, and checks the path. */
async function displaced(
  { disk, know, later, store, tracker }: TrackedDisk,
  text: string | null,
): Promise<{ readonly id: ObjectId; readonly stranger: StoredVersion | undefined }> {
  disk.write("/work/stranger.txt", text);
  later();
  const id = await know("/work/a.txt", "a text");
  disk.rename("/work/stranger.txt", "/work/a.txt");
  await tracker.check();
  const { items } = await store.find({ where: { type: "file", path: "/work/a.txt" } });
  const [found] = items;
  return { id, stranger: found && (await store.get(found.body.id)) };
}
