import { sample } from "@self-context-manager/store-contract";
import { setImmediate } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from "vitest";

import { sqlitePlace } from "./sqlite-place.ts";

let executed: MockInstance<DatabaseSync["exec"]>;

beforeEach(() => {
  executed = vi.spyOn(DatabaseSync.prototype, "exec");
});

afterEach(() => {
  executed.mockRestore();
});

it("moves the log into the file after 64 commits, in a turn of the event loop between commits", async () => {
  await using place = await sqlitePlace();
  await using store = await place.open();
  const checkpoints = (): number =>
    executed.mock.calls.filter(([sql]) => sql.includes("wal_checkpoint")).length;
  const commitMany = async (from: number, count: number): Promise<void> => {
    for (let at = from; at < from + count; at += 1)
      await store.commit([{ object: sample("a", { count: at }) }]);
  };

  await commitMany(0, 63);
  await setImmediate();
  const few = checkpoints();
  await commitMany(63, 50);
  const inCommits = checkpoints();
  await setImmediate();
  const afterTurn = checkpoints();
  await commitMany(113, 1);
  await setImmediate();

  expect([few, inCommits, afterTurn, checkpoints()]).toEqual([0, 0, 1, 1]);
});

it("makes no checkpoint after the store is closed", async () => {
  await using place = await sqlitePlace();
  {
    await using store = await place.open();
    for (let count = 0; count < 70; count += 1)
      await store.commit([{ object: sample("a", { count }) }]);
  }
  executed.mockClear();
  await setImmediate();

  expect(executed).not.toHaveBeenCalled();
});
