import { fieldRows, objectId } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";

import { openSqliteStore, openStoreFile } from "../src/index.ts";
import { sqlitePlace } from "./sqlite-place.ts";

it("makes the keys of the fields of a file whose index has names and values", async () => {
  await using place = await sqlitePlace();
  const long = "a long value ".repeat(40);
  {
    await using store = await place.open();
    await store.commit([{ object: sample("one", { type: "file", path: "/a", title: long }) }]);
    await store.commit([{ object: sample("two", { type: "file", path: "/b", title: long }) }]);
    await store.commit([{ object: sample("one", { type: "file", path: "/c", title: long }) }]);
  }
  await withNames(place.path);
  using before = await openStoreFile(place.path);
  expect([...before.damage(), ...before.indexDamage()]).toEqual([]);

  await using store = await openSqliteStore({ path: place.path });
  const found = async (where: Readonly<Record<string, string>>) =>
    (await store.find({ where })).items.map(({ body }) => body.id);

  expect(await found({ path: "/c" })).toEqual(["one"]);
  expect(await found({ path: "/a" })).toEqual([]);
  expect(await found({ type: "file", title: long })).toEqual(["one", "two"]);
  await store.commit([{ object: sample("two", { type: "file", path: "/d", title: "short" }) }]);
  expect(await found({ title: long })).toEqual(["one"]);
  using after = await openStoreFile(place.path);
  expect(after.indexDamage()).toEqual([]);
});

it("finds no object by the key of another field", async () => {
  await using place = await sqlitePlace();
  await using store = await place.open();
  await store.commit([{ object: sample("one", { path: "/a" }) }]);
  await store.commit([{ object: sample("two", { path: "/b" }) }]);
  const database = new DatabaseSync(place.path);
  // As if every field of an object had the keys of the other one.
  database.exec(
    "INSERT OR IGNORE INTO field_keys SELECT f.field, o.key FROM field_keys f, objects o",
  );
  database.close();

  const { items } = await store.find({ where: { path: "/b" } });

  expect(items.map(({ body }) => body.id)).toEqual([objectId("two")]);
});

/** Gives a file the index of fields and the number of the schema that it had before. */
async function withNames(path: string): Promise<void> {
  await using store = await openSqliteStore({ path });
  const { items } = await store.find({});
  const database = new DatabaseSync(path);
  database.exec(`
    DROP TABLE field_keys;
    CREATE TABLE fields (
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      object INTEGER NOT NULL REFERENCES objects (key),
      PRIMARY KEY (name, value, object)
    ) STRICT, WITHOUT ROWID;
    PRAGMA user_version = 7;
  `);
  const insert = database.prepare("INSERT INTO fields SELECT ?, ?, key FROM objects WHERE id = ?");
  for (const { body } of items)
    for (const [name, value] of fieldRows(body)) insert.run(name, value, body.id);
  database.close();
}
