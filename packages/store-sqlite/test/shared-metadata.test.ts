import { hashObject, objectId, sha256, type StoredVersion } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";

import { sqlitePlace } from "./sqlite-place.ts";

const id = objectId("view");

it("writes metadata only if they changed since the last version", async () => {
  await using place = await sqlitePlace();
  {
    await using store = await place.open();
    for (const entries of [["a"], ["a", "b"], ["a", "b", "c"]])
      await store.commit([{ object: sample("view", { entries, layout: "one" }) }]);
    await store.commit([{ object: sample("view", { entries: ["a"], layout: "two" }) }]);
    await store.commit([{ object: sample("view", { entries: ["b"], layout: "two" }) }]);
  }

  const kinds = rowsOf(place.path).map(({ metadata }) =>
    typeof metadata === "number" ? metadata : "text",
  );
  expect(kinds).toEqual(["text", 1, 1, "text", 4]);
  await using store = await place.open();
  const history = await store.history(id);
  expect(history.map(({ body }) => body["layout"])).toEqual(["one", "one", "one", "two", "two"]);
  for (const { version, hashes } of history) {
    const stored = await store.get(id, { version });
    const expected = sample("view", { ...stored?.body });
    expect(hashes).toEqual(expected.hashes);
    expect(stored?.hashes).toEqual(expected.hashes);
  }
});

it("stores the current fields of a body that changed after a refused restore", async () => {
  await using place = await sqlitePlace();
  const at = { tx_id: 1, tx_time: "2026-01-01T00:00:00.000Z" };
  const body = { ...sample("view", { layout: "one" }).body };
  const version = (count: number): StoredVersion => ({
    body,
    hashes: hashObject(body),
    version: count,
    at,
  });
  {
    await using store = await place.open();
    const gap = { ...version(5), body: sample("other").body };
    await expect(store.restore([version(1), gap])).rejects.toMatchObject({ name: "StoreError" });
    Object.assign(body, { layout: "two" });
    await store.restore([version(1)]);
  }

  await using store = await place.open();
  const stored = await store.get(id);
  expect(stored?.body["layout"]).toBe("two");
  expect(stored?.hashes).toEqual(hashObject(body));
});

it("reports a version as damaged if the earlier version with its metadata is missing", async () => {
  await using place = await sqlitePlace();
  {
    await using store = await place.open();
    for (const entries of [["a"], ["b"]])
      await store.commit([{ object: sample("view", { entries }) }]);
  }
  const database = new DatabaseSync(place.path);
  database.exec("UPDATE versions SET metadata = 7 WHERE version = 2");
  database.close();
  await using store = await place.open();

  await expect(store.describe([id])).rejects.toThrow(
    "is damaged: version 2 of object view cannot be read: a text is missing",
  );
});

it("finds an empty content by its hash, although its row has none", async () => {
  await using place = await sqlitePlace();
  await using store = await place.open();
  await store.commit([{ object: sample("view", { content: null }) }]);

  expect((await store.get(id, { contentHash: sha256("") }))?.version).toBe(1);
  expect(await store.get(id, { contentHash: "" })).toBeUndefined();
});

function rowsOf(path: string): readonly Readonly<Record<string, unknown>>[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare("SELECT metadata FROM versions ORDER BY version").all();
  database.close();
  return rows;
}
