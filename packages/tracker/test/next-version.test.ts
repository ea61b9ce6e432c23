import {
  type FileContent,
  fileBody,
  objectId,
  type ObjectStore,
  sealObject,
  type StoredMetadata,
  unreadFileBody,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { expect, test } from "vitest";

import { afterDeletion, afterRead, storeDrafts } from "../src/index.ts";
import { fakeDisk } from "./fake-disk.ts";

const id = objectId("0190aaaa-0000-7000-8000-000000000001");
const path = "/work/a.txt";

async function latestOf(store: ObjectStore): Promise<StoredMetadata> {
  const [latest] = await store.describe([id]);
  if (latest === undefined) throw new Error("there is no object");
  return latest;
}

/** A file on a disk, as it was read, and a store whose object of it has that content. */
async function knownFile(): Promise<{
  readonly disk: ReturnType<typeof fakeDisk>;
  readonly content: FileContent;
  readonly store: ObjectStore;
}> {
  const disk = fakeDisk();
  disk.write(path, "one");
  const content = await disk.files.read(path);
  const store = memoryStore();
  await store.commit([{ object: sealObject(fileBody(id, content, "human")) }]);
  return { disk, content, store };
}

test.each([
  ["other bytes of the same size", { bytesHash: "b" }, "b"],
  ["the same bytes at another time", { modified: 9 }, undefined],
  ["no hash and another time", { bytesHash: undefined, modified: 9 }, null],
  ["no hash and the same time", { bytesHash: undefined }, undefined],
] as const)("a file that is not text is compared by %s", async (_, other, hash) => {
  const { disk, store } = await knownFile();
  const bytes = { realPath: path, size: 4, modified: 1, text: null, bytesHash: "a" } as const;
  const { body } = await latestOf(store);
  const known = sealObject(fileBody(id, bytes, "human", body));
  await store.commit([{ object: known }]);
  const content = { ...bytes, ...other } as FileContent;

  const read = { content, readAfter: 2, generator: "human" } as const;
  const made = await afterRead(disk.files, id, read).body(await latestOf(store));

  expect(made === undefined ? undefined : (made["bytes_hash"] ?? null)).toBe(hash);
});

test("an old content does not follow a newer one that was stored at the same time", async () => {
  const { disk, content, store } = await knownFile();
  disk.write(path, "two");
  const older = { ...content, text: "between" };
  const newer = fileBody(id, await disk.files.read(path), "human");
  let isFirst = true;
  const interrupted: ObjectStore = Object.assign(Object.create(store) as ObjectStore, {
    commit: async (...written: Parameters<ObjectStore["commit"]>) => {
      if (isFirst) await store.commit([{ object: sealObject(newer) }]);
      isFirst = false;
      return await store.commit(...written);
    },
  });

  const read = { content: older, readAfter: 1, generator: "human" } as const;
  await storeDrafts(interrupted, [afterRead(disk.files, id, read)]);

  expect((await store.get(id))?.body.content).toBe("two");
  expect((await latestOf(store)).version).toBe(2);
});

test("a file that was named after a tool read it gets no text that no tool has shown", async () => {
  const { disk, content, store } = await knownFile();
  const { body } = await latestOf(store);
  const named = unreadFileBody(id, { ...content, kind: "file" }, body);
  await store.commit([{ object: sealObject(named) }]);
  disk.write(path, "two");
  const read = { content, readAfter: 1, generator: "human", isByTool: true } as const;

  await expect(
    afterRead(disk.files, id, read).body(await latestOf(store)),
  ).resolves.toBeUndefined();
});

test("a file that another session has found again is not recorded as missing", async () => {
  const { disk, store } = await knownFile();
  const latest = await latestOf(store);

  expect(await afterDeletion(disk.files, id, 0).body(latest)).toBeUndefined();
  expect(await afterDeletion(disk.files, id, 1).body(latest)).toMatchObject({ path: null });
});
