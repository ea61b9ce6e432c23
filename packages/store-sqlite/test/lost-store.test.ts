import { objectId } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { copyFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import { openSqliteStore } from "../src/index.ts";
import { sqlitePlace } from "./sqlite-place.ts";

const write = (id: string) => [{ object: sample(id, { content: `text of ${id}` }) }];
const sides = ["", "-wal", "-shm"];

it.each<[string, RegExp, (path: string) => Promise<unknown>]>([
  ["deleted", /was deleted or renamed/, async (path) => await rm(path)],
  [
    "deleted with its side files",
    /was deleted or renamed/,
    async (path) => await Promise.all(sides.map(async (end) => await rm(path + end))),
  ],
  ["renamed", /was deleted or renamed/, async (path) => await rename(path, `${path}.old`)],
  [
    "moved with its folder",
    /was deleted or renamed/,
    async (path) => await rename(dirname(path), `${dirname(path)}.old`),
  ],
  [
    "replaced by another store",
    /was replaced by another file/,
    async (path) => {
      await using other = await openSqliteStore({ path: `${path}.other` });
      await other.commit(write("other"));
      await other[Symbol.asyncDispose]();
      await rename(`${path}.other`, path);
    },
  ],
])("notices at the next commit that the file was %s", async (_name, reason, lose) => {
  await using place = await sqlitePlace();
  const path = join(dirname(place.path), "folder", "store.sqlite");
  const store = await openSqliteStore({ path });
  await store.commit(write("before"));
  await lose(path);

  await expect(store.commit(write("after"))).rejects.toMatchObject({
    name: "StoreError",
    code: "STORE_LOST",
    message: expect.stringMatching(reason) as string,
  });
  await store[Symbol.asyncDispose]();
  await using again = await openSqliteStore({ path });
  await again.commit(write("new"));

  expect(await again.get(objectId("before"))).toBeUndefined();
  expect((await again.get(objectId("new")))?.version).toBe(1);
});

it("writes on when the file was put back before the next commit", async () => {
  await using place = await sqlitePlace();
  await using store = await place.open();
  await store.commit(write("before"));
  await rename(place.path, `${place.path}.old`);
  await rename(`${place.path}.old`, place.path);

  expect((await store.commit(write("after"))).versions).toHaveLength(1);
});

it("leaves a complete store under the new name of a renamed file", async () => {
  await using place = await sqlitePlace();
  const store = await place.open();
  await store.commit(write("before"));
  await rename(place.path, `${place.path}.old`);
  await expect(store.commit(write("after"))).rejects.toMatchObject({ code: "STORE_LOST" });

  await store[Symbol.asyncDispose]();
  await mkdir(`${place.path}.apart`);
  await copyFile(`${place.path}.old`, join(`${place.path}.apart`, "store.sqlite"));

  expect(await readdir(dirname(place.path))).not.toContain("store.sqlite-wal");
  await using old = await openSqliteStore({ path: join(`${place.path}.apart`, "store.sqlite") });
  expect((await old.get(objectId("before")))?.version).toBe(1);
});

it("leaves the side files to another process if the lost file was put back", async () => {
  await using place = await sqlitePlace();
  const store = await place.open();
  await store.commit(write("before"));
  await rename(place.path, `${place.path}.old`);
  await expect(store.commit(write("after"))).rejects.toMatchObject({ code: "STORE_LOST" });
  await rename(`${place.path}.old`, place.path);
  await using other = await place.open();
  await store[Symbol.asyncDispose]();

  await other.commit(write("later"));
  await using third = await place.open();

  expect((await third.get(objectId("later")))?.version).toBe(1);
});
