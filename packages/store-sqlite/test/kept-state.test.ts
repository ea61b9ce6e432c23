import { sample } from "@self-context-manager/store-contract";
import { StatementSync } from "node:sqlite";
import { expect, it, vi } from "vitest";

import { sqlitePlace } from "./sqlite-place.ts";

it("a commit of a known object reads nothing that no other connection can have changed", async () => {
  await using place = await sqlitePlace();
  await using store = await place.open();
  await using other = await place.open();
  const read = vi.spyOn(StatementSync.prototype, "get");
  const readings = async (number: number): Promise<readonly string[]> => {
    read.mockClear();
    await store.commit([{ object: sample("note", { number }) }]);
    return read.mock.contexts
      .map((statement) => (statement as StatementSync).sourceSQL)
      .filter((sql) => /FROM (objects|clock|privacy)/u.test(sql));
  };
  await readings(1);

  const alone = await readings(2);
  await other.commit([{ object: sample("other", {}) }]);
  const afterAnother = await readings(3);
  read.mockRestore();

  expect(alone).toEqual([]);
  expect(afterAnother).toHaveLength(3);
});

it("a refused commit leaves the clock as it was", async () => {
  await using place = await sqlitePlace();
  await using store = await place.open();
  await store.commit([{ object: sample("a", { nickname: "taken" }) }]);

  const refused = store.commit([{ object: sample("b", { nickname: "taken" }) }]);

  await expect(refused).rejects.toThrow("taken");
  await store.commit([{ object: sample("c", {}) }]);
  const { versions } = await store.changesSince();
  expect(versions.map(({ body, at }) => [body.id, at.tx_id])).toEqual([
    ["a", 1],
    ["c", 2],
  ]);
});
