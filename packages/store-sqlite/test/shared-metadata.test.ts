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
    for (const entries of [["a"], ["b"], ["c"]])
      await store.commit([{ object: sample("view", { entries, layout: "two" }) }]);
  }

  expect(rowsOf(place.path).map(formOf)).toEqual(["text", 1, 1, "difference from 1", "text", 5]);
  await using store = await place.open();
  const history = await store.history(id);
  const layouts = ["one", "one", "one", "two", "two", "two"];
  expect(history.map(({ body }) => body["layout"])).toEqual(layouts);
  const inOrder: unknown[] = [];
  for await (const { body } of store.versions(id)) inOrder.push(body["layout"]);
  expect(inOrder).toEqual(layouts);
  for (const { version, hashes } of history) {
    const stored = await store.get(id, { version });
    const expected = sample("view", { ...stored?.body });
    expect(hashes).toEqual(expected.hashes);
    expect(stored?.hashes).toEqual(expected.hashes);
  }
});

it("writes short differences of metadata that change with each version, across the openings of the file", async () => {
  await using place = await sqlitePlace();
  const name = "\u{1f600}=1:2:3:~#1";
  for (let count = 0; count < 6; count += 1) {
    await using store = await place.open();
    await store.commit([{ object: sample("chat", { name, count, entries: [count] }) }]);
  }

  const forms = rowsOf(place.path).map(formOf);
  expect(forms).toEqual(["text", ...Array.from({ length: 5 }, () => "difference from 1")]);
  await using store = await place.open();
  const history = await store.history(objectId("chat"));
  expect(history.map(({ body }) => [body["name"], body["count"]])).toEqual(
    [0, 1, 2, 3, 4, 5].map((count) => [name, count]),
  );
  expect((await store.get(objectId("chat"), { version: 3 }))?.body["entries"]).toEqual([2]);
});

it("writes metadata whole if their difference is long, and in a version that depends on no other", async () => {
  await using place = await sqlitePlace();
  {
    await using store = await place.open();
    await store.commit([{ object: sample("view", { name: "a", entries: [] }) }]);
    await store.commit([{ object: sample("view", { name: "b".repeat(60), entries: [] }) }]);
    for (let count = 0; count < 4; count += 1)
      await store.commit([
        { object: sample("view", { name: `c${count}`, entries: [String(count).repeat(9_000)] }) },
      ]);
  }

  const database = new DatabaseSync(place.path);
  const rows = database.prepare("SELECT version, base, metadata FROM versions").all();
  database.close();
  expect(rows[1]).toMatchObject({ version: 2, base: 1 });
  expect(formOf(rows[1] ?? {})).toBe("text");
  const bases = rows.filter(({ version, base }) => version === base);
  expect(bases.length).toBeGreaterThan(1);
  expect(bases.map(formOf)).toEqual(bases.map(() => "text"));
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

/** The number of the version that a row names, `difference from` it, or `text` for metadata of its own. */
function formOf({ metadata }: Readonly<Record<string, unknown>>): unknown {
  if (typeof metadata === "number") return metadata;
  const known = typeof metadata === "string" ? /^=(\d+):/u.exec(metadata)?.[1] : undefined;
  return known === undefined ? "text" : `difference from ${known}`;
}

function rowsOf(path: string): readonly Readonly<Record<string, unknown>>[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare("SELECT metadata FROM versions ORDER BY version").all();
  database.close();
  return rows;
}
