import { objectId } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { copyFile, readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";

import { copySqliteStore, openSqliteStore } from "../src/index.ts";
import { sqlitePlace } from "./sqlite-place.ts";

const write = (id: string) => [{ object: sample(id, { content: `text of ${id}` }) }];

it.each([0, 1, 200])(
  "refuses a copy that was made without the log after %d commits",
  async (commits) => {
    await using place = await sqlitePlace();
    await using store = await place.open();
    for (let count = 0; count < commits; count += 1) await store.commit(write(`o${count}`));
    const path = `${place.path}.copy`;
    await copyFile(place.path, path);

    const refusal = {
      code: "STORE_CORRUPT",
      message: expect.stringMatching(/was copied while it was in use, without its log/u) as string,
    };
    await expect(openSqliteStore({ path })).rejects.toMatchObject(refusal);
    await expect(copySqliteStore(path, `${path}.copy`)).rejects.toMatchObject(refusal);
  },
);

it("opens a copy with the log, and a copy of a closed store", async () => {
  await using place = await sqlitePlace();
  const store = await place.open();
  await store.commit(write("a"));
  const withLog = `${place.path}.one`;
  for (const end of ["", "-wal"]) await copyFile(place.path + end, withLog + end);
  await store[Symbol.asyncDispose]();
  const closed = `${place.path}.two`;
  await copyFile(place.path, closed);

  for (const path of [withLog, closed]) {
    // The second opening finds what the first one has noted.
    for (let round = 0; round < 2; round += 1) {
      await using copy = await openSqliteStore({ path });
      expect((await copy.get(objectId("a")))?.version).toBe(1);
    }
  }
});

it("opens a copy with an empty log, which says that all is in the file", async () => {
  await using place = await sqlitePlace();
  await using store = await place.open();
  await store.commit(write("a"));
  const other = new DatabaseSync(place.path);
  other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const path = `${place.path}.copy`;
  for (const end of ["", "-wal"]) await copyFile(place.path + end, path + end);
  other.close();

  await using copy = await openSqliteStore({ path });

  expect((await copy.get(objectId("a")))?.version).toBe(1);
});

it("opens a store whose log another program has moved into the file", async () => {
  await using place = await sqlitePlace();
  const store = await place.open();
  await store.commit(write("a"));
  const path = `${place.path}.killed`;
  for (const end of ["", "-wal"]) await copyFile(place.path + end, path + end);
  await store[Symbol.asyncDispose]();
  await (await openSqliteStore({ path }))[Symbol.asyncDispose]();
  const killed = new DatabaseSync(path);
  killed.exec("PRAGMA journal_mode = WAL");
  killed.close();
  expect(await readdir(dirname(path))).not.toContain("store.sqlite.killed-wal");

  await using again = await openSqliteStore({ path });

  expect((await again.get(objectId("a")))?.version).toBe(1);
});

it("leaves the mode of the log only with the last of two connections", async () => {
  await using place = await sqlitePlace();
  const one = await place.open();
  const other = await place.open();
  await one[Symbol.asyncDispose]();
  await other.commit(write("a"));
  const path = `${place.path}.copy`;
  await copyFile(place.path, path);

  await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  await other[Symbol.asyncDispose]();
  await copyFile(place.path, path);
  await using whole = await openSqliteStore({ path });

  expect((await whole.get(objectId("a")))?.version).toBe(1);
});
