import { updateSearch } from "@self-context-manager/links";
import { objectId, type ObjectStore, sealObject } from "@self-context-manager/objects";
import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

import { openDocuments, openStore, type StorePlace } from "../src/index.ts";
import { searchPath } from "../src/search-path.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const clock = { now: () => Date.UTC(2026, 0, 2) };

async function opened(place: StorePlace): Promise<ObjectStore> {
  return await openStore({ ...place, clock });
}

/** Adds a note, whose id has a number. */
async function addNote(store: ObjectStore, number: number, content: string): Promise<void> {
  const id = objectId(`0190aaaa-0000-7000-8000-${String(number).padStart(12, "0")}`);
  const provenance = { origin: "test", generator: "human" as const };
  await store.commit([
    { object: sealObject({ id, type: "note", locked: false, content, provenance }) },
  ]);
}

/** The number of texts with a word. */
async function found(store: ObjectStore, place: StorePlace, words: string): Promise<number> {
  await using documents = await openDocuments(store, place);
  return (await documents.search.search({ words })).length;
}

async function indexed(store: ObjectStore, place: StorePlace): Promise<number> {
  await using documents = await openDocuments(store, place);
  return (await updateSearch(store, documents.search)).added;
}

test("the index of a store in a file is beside it, for its owner only, and stays", async () => {
  await using folder = await temporaryFolder();
  const place = { store: "sqlite", at: join(folder.path, "store.sqlite") } as const;
  await using store = await opened(place);
  await addNote(store, 1, "an apple");

  expect(await indexed(store, place)).toBe(1);
  const { mode } = await stat(join(folder.path, "store.sqlite.search"));

  expect(mode & 0o777).toBe(0o600);
  expect(await found(store, place, "apple")).toBe(1);
  expect(await indexed(store, place)).toBe(0);
});

test("the index of a store that is deleted and made again begins empty", async () => {
  await using folder = await temporaryFolder();
  const place = { store: "sqlite", at: join(folder.path, "store.sqlite") } as const;
  {
    await using former = await opened(place);
    await addNote(former, 1, "an apple");
    await addNote(former, 2, "a pear");
    await indexed(former, place);
  }
  await rm(place.at);
  await using store = await opened(place);
  const whileEmpty = await found(store, place, "apple");
  // The same object at the same time: only the file is another one.
  await addNote(store, 1, "an apple");
  const before = await found(store, place, "pear apple");

  const added = await indexed(store, place);

  expect({ whileEmpty, before, added }).toEqual({ whileEmpty: 0, before: 0, added: 1 });
  expect(await found(store, place, "apple")).toBe(1);
  expect(await found(store, place, "pear")).toBe(0);
});

test("a store whose file was replaced does not change the index of the other one", async () => {
  await using folder = await temporaryFolder();
  const place = { store: "sqlite", at: join(folder.path, "store.sqlite") } as const;
  await using former = await opened(place);
  await addNote(former, 1, "an apple");
  await using documents = await openDocuments(former, place);
  await updateSearch(former, documents.search);
  await rename(place.at, join(folder.path, "elsewhere.sqlite"));
  await using store = await opened(place);
  await addNote(store, 2, "a pear");
  await indexed(store, place);

  const hits = await documents.search.search({ words: "apple pear" });
  const adding = updateSearch(former, documents.search);

  await expect(adding).rejects.toMatchObject({ code: "STORE_LOST" });
  expect(hits).toEqual([]);
  expect(await found(store, place, "pear")).toBe(1);
});

test("two openings of one index, updated at the same time, find the same as one", async () => {
  await using folder = await temporaryFolder();
  const place = { store: "sqlite", at: join(folder.path, "store.sqlite") } as const;
  await using store = await opened(place);
  await addNote(store, 1, "an apple");
  for (let number = 2; number < 300; number += 1) await addNote(store, number, "a plum");
  await addNote(store, 300, "a pear");
  await using one = await openDocuments(store, place);
  await using other = await openDocuments(store, place);

  await Promise.all([updateSearch(store, one.search), updateSearch(store, other.search)]);

  for (const { search } of [one, other]) {
    expect(await search.search({ words: "apple" })).toHaveLength(1);
    expect(await search.search({ words: "pear" })).toHaveLength(1);
  }
});

test("phrases are looked for in the texts of the store, also in its names and behind its former versions", async () => {
  await using store = await opened({ store: "memory", at: "" });
  await addNote(store, 1, "an apple and a pear");
  await addNote(store, 2, "a pear and an apple");
  await addNote(store, 2, "a pear and an apple\nand a plum");
  await using documents = await openDocuments(store);
  await updateSearch(store, documents.search);

  const found = async (words: string): Promise<readonly number[]> =>
    (await documents.search.search({ words })).map(({ id }) => Number(id.slice(-12)));

  expect(await found('"and a pear"')).toEqual([1]);
  expect(await found('"a pear and"')).toEqual([2]);
  expect(await found('"a plum"')).toEqual([2]);
});

test("an index of the former form is made again from the store", async () => {
  await using folder = await temporaryFolder();
  const place = { store: "sqlite", at: join(folder.path, "store.sqlite") } as const;
  await using store = await opened(place);
  await addNote(store, 1, "an apple");
  await indexed(store, place);
  const database = new DatabaseSync(`${place.at}.search`);
  database.exec("ALTER TABLE texts DROP COLUMN words; DROP TABLE ranked; PRAGMA user_version = 4");
  database.close();

  expect(await found(store, place, "apple")).toBe(0);
  expect(await indexed(store, place)).toBe(1);
  expect(await found(store, place, "apple")).toBe(1);
});

test("a store in memory, or one that the caller has opened, has its index in memory", async () => {
  await using store = await opened({ store: "memory", at: "" });
  await addNote(store, 1, "an apple");
  await using documents = await openDocuments(store);

  await updateSearch(store, documents.search);

  expect(await documents.search.search({ words: "apple" })).toHaveLength(1);
  expect(documents.parser.parse("[[x]]").links).toHaveLength(1);
});

test("a file that is no index is named and left as it is", async () => {
  await using folder = await temporaryFolder();
  const place = { store: "sqlite", at: join(folder.path, "store.sqlite") } as const;
  await using store = await opened(place);
  await writeFile(
    join(folder.path, "store.sqlite.search"),
    "no database, but long enough".repeat(99),
  );

  await expect(openDocuments(store, place)).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: expect.stringMatching(/store\.sqlite\.search cannot be used .*delete it/u),
  });
});

test("a damaged index is named, and is made again once it is deleted", async () => {
  await using folder = await temporaryFolder();
  const place = { store: "sqlite", at: join(folder.path, "store.sqlite") } as const;
  await using store = await opened(place);
  await addNote(store, 1, "an apple");
  await indexed(store, place);
  const path = join(folder.path, "store.sqlite.search");
  const bytes = await readFile(path);
  await writeFile(path, Buffer.concat([bytes.subarray(0, 100), bytes.subarray(100).fill(7)]));

  await expect(indexed(store, place)).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: expect.stringContaining(`${path} cannot be used`),
  });
  await rm(path);
  expect(await indexed(store, place)).toBe(1);
});

test("an index that another process writes for too long is busy", async () => {
  await using folder = await temporaryFolder();
  const place = { store: "sqlite", at: join(folder.path, "store.sqlite") } as const;
  await using store = await opened(place);
  await addNote(store, 1, "an apple");
  await using documents = await openDocuments(store, place);
  using other = new DatabaseSync(join(folder.path, "store.sqlite.search"));
  other.exec("BEGIN IMMEDIATE");

  const adding = updateSearch(store, documents.search);

  await expect(adding).rejects.toMatchObject({ code: "STORE_BUSY" });
});

test("the index of a store in XTDB is in the user's folder, by its node and name", () => {
  const environment = { XDG_DATA_HOME: "/data" };
  const path = (at: string, name?: string): string =>
    searchPath({ store: "xtdb", at, xtdb: name === undefined ? {} : { name } }, environment);

  const one = path("http://127.0.0.1:3000");

  expect(one).toMatch(/^\/data\/self-context-manager\/search\/scm-[\da-f]{12}\.search$/u);
  expect(path("http://127.0.0.1:3000/", "scm")).toBe(one);
  expect(path("http://127.0.0.1:3001")).not.toBe(one);
  expect(path("http://127.0.0.1:3000", "team")).not.toBe(one);
});
