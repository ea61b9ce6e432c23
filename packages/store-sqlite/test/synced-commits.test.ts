import { sample } from "@self-context-manager/store-contract";
import { stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { expect, it, vi } from "vitest";

import { connect } from "../src/connection.ts";
import { sqlitePlace } from "./sqlite-place.ts";

const synced = 2;
const unsynced = 1;

it("waits for the disk in every commit except those that another commit follows", async () => {
  await using place = await sqlitePlace();
  const connection = await connect(place.path);
  connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  const level = (): unknown => connection.first("PRAGMA synchronous")?.["synchronous"];

  const kinds = ["write", "unsynced-write", "unsynced-write", "write", "write"] as const;
  const levels = kinds.map((kind) => connection.transaction(kind, level));
  connection.close();

  expect(levels).toEqual([synced, unsynced, unsynced, synced, synced]);
});

it("waits for the disk again after the failure of a commit with isFollowed", async () => {
  await using place = await sqlitePlace();
  await using store = await place.open();
  await store.commit([{ object: sample("a") }]);
  const executed = vi.spyOn(DatabaseSync.prototype, "exec");

  const failed = store.commit([{ object: sample("a", { late: 1 }), expect: 7 }], {
    isFollowed: true,
  });
  await expect(failed).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
  await store.commit([{ object: sample("a", { late: 2 }) }]);

  const levels = executed.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes("sync"));
  executed.mockRestore();
  expect(levels).toEqual(["PRAGMA synchronous = NORMAL", "PRAGMA synchronous = FULL"]);
});

it("syncs an unsynced commit with the next commit, even if that one changes nothing", async () => {
  await using place = await sqlitePlace();
  await using store = await place.open();
  const log = async (): Promise<number> => (await stat(`${place.path}-wal`)).size;
  await store.commit([{ object: sample("a") }]);
  const sizes = [await log()];
  const commit = async (isFollowed: boolean, count: number): Promise<void> => {
    await store.commit([{ object: sample("a", { count }) }], { isFollowed });
    sizes.push(await log());
  };
  await commit(true, 1);
  await commit(true, 1);
  await commit(false, 1);
  await commit(false, 1);

  const grew = sizes.map((size, index) => index > 0 && size > (sizes[index - 1] ?? 0));
  expect(grew).toEqual([false, true, false, true, false]);
});
