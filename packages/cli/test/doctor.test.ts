import { chmod, copyFile, readFile, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

import { run, storeWithSession, temporaryStore, withStore } from "./temporary-store.ts";

interface Found {
  readonly check: string;
  readonly state: string;
  readonly details: readonly string[];
}

test("a sound store has a line for each check and exits with 0", async () => {
  await using store = await storeWithSession();

  const { code, stdout, stderr } = await store.scm("doctor");

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.split("\n").map((line) => line.split(/ +/u).slice(0, 2).join(" "))).toEqual([
    "ok program",
    "ok opening",
    "ok database",
    "ok versions",
    "ok history",
    "ok references",
    "ok indexes",
    "ok documents",
    "ok search",
    "ok views",
    "note sessions",
    " session",
    "ok leftovers",
    "ok permissions",
    "ok space",
    "",
  ]);
});

test("a store in memory is checked too", async () => {
  const { code, stdout } = await run(["doctor", "--store", "memory"]);

  expect(code).toBe(0);
  expect(stdout).toContain("0 versions of 0 objects: all hashes match");
});

test("nothing of the store is changed", async () => {
  await using store = await storeWithSession();
  const before = (await store.scm("export")).stdout;

  await store.scm("doctor");

  expect((await store.scm("export")).stdout).toBe(before);
});

test.each([
  ["a hash", "versions", "UPDATE versions SET object_hash = zeroblob(32) WHERE seq = 3"],
  ["metadata", "versions", "UPDATE versions SET metadata = '{' WHERE seq = 1"],
  ["a nickname", "database", "UPDATE objects SET nickname = 'other' WHERE key = 1"],
  ["the last transaction", "database", "UPDATE clock SET tx_id = tx_id + 1"],
  ["the index of fields", "indexes", "DELETE FROM field_keys WHERE object = 1"],
  ["the index of references", "indexes", "UPDATE refs SET kind = 'static'"],
  [
    "an entry of the document index",
    "documents",
    "UPDATE documents SET version = 77 WHERE object = (SELECT min(object) FROM documents)",
  ],
])("changed data are found: %s", async (_name, check, sql) => {
  await using store = await storeWithSession();
  await store.scm("index", ".");
  const database = new DatabaseSync(store.at);
  database.exec(sql);
  database.close();

  const { code, stderr, stdout } = await store.scm("doctor", "--json");

  expect(code).toBe(1);
  expect(stderr).toContain("the store is damaged (");
  const bad = (JSON.parse(stdout) as Found[]).filter(({ state }) => state === "damaged");
  expect(bad.map((found) => found.check)).toContain(check);
  expect(JSON.stringify(bad)).toMatch(/object \S+|document index|the last transaction/u);
});

test("a file without its beginning is damaged", async () => {
  await using store = await storeWithSession();
  await writeFile(store.at, (await readFile(store.at)).fill(0x5a, 0, 2000));

  const { code, stdout } = await store.scm("doctor");

  expect(code).toBe(1);
  expect(stdout).toMatch(/^DAMAGED {3}opening /mu);
});

test("a copy without its log is damaged", async () => {
  await using store = await storeWithSession();
  const at = `${store.at}.copy`;
  await withStore(store, async () => await copyFile(store.at, at));

  const { code, stdout } = await store.scm("doctor", "--at", at);

  expect(code).toBe(1);
  expect(stdout).toContain("was copied while it was in use, without its log");
});

test("what cannot be checked exits with 2", async () => {
  await using store = await temporaryStore();
  const database = new DatabaseSync(store.at);
  database.exec("CREATE TABLE other (x)");
  database.close();

  const { code, stdout } = await store.scm("doctor");

  expect(code).toBe(2);
  expect(stdout).toContain("is a database of another program");
});

test("leftovers of killed processes and the access of others are noted", async () => {
  await using store = await storeWithSession();
  await writeFile(`${store.at}.999999999.partial`, "");
  await chmod(store.at, 0o644);

  const { code, stdout } = await store.scm("doctor");

  expect(code).toBe(0);
  expect(stdout).toContain("999999999.partial");
  expect(stdout).toContain(`chmod go= ${store.at}`);
});
