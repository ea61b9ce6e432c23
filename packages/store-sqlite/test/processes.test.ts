import { objectId } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

import { sqlitePlace } from "./sqlite-place.ts";

it("opens new files in several processes at the same time", async () => {
  await using place = await sqlitePlace();
  const program = fileURLToPath(new URL("./open-race.ts", import.meta.url));
  const start = Date.now() + 1500;
  const args = [
    "--conditions=@self-context-manager/source",
    program,
    dirname(place.path),
    `${start}`,
  ];

  const racers = await Promise.all(
    Array.from({ length: 3 }, () => promisify(execFile)(process.execPath, args)),
  );

  expect(racers.map(({ stdout }) => stdout)).toEqual(racers.map(() => "opened 40\n"));
});

it("opens a new file several times at once in one process", async () => {
  await using place = await sqlitePlace();

  const stores = await Promise.all(Array.from({ length: 8 }, () => place.open()));
  await Promise.all(
    stores.map((store, index) => store.commit([{ object: sample(`id ${index}`) }])),
  );

  const [first] = stores;
  expect((await first?.find({}))?.items.length).toBe(8);
  for (const store of stores) await store[Symbol.asyncDispose]();
});

it("does not return its cached version after another process has written", async () => {
  await using place = await sqlitePlace();
  await using one = await place.open();
  await using other = await place.open();
  const id = objectId("a");
  for (let round = 1; round <= 20; round += 1) {
    const turns = Array.from({ length: round }, (_, index) => ({ user: `turn ${index}` }));
    const object = sample("a", { turns, content: "word ".repeat(round * 100) });
    await (round % 3 === 0 ? other : one).commit([{ object, expect: round - 1 }]);
    expect((await (round % 2 === 0 ? one : other).get(id))?.body).toEqual(object.body);
  }
  for (let version = 1; version <= 20; version += 1) {
    expect(await one.get(id, { version })).toEqual(await other.get(id, { version }));
  }
});

it("commits in the order of the calls while another program locks the file", async () => {
  await using place = await sqlitePlace();
  await using store = await place.open();
  const other = new DatabaseSync(place.path);
  other.exec("BEGIN IMMEDIATE");
  const release = setTimeout(() => other.exec("ROLLBACK"), 60);

  const calls = Array.from({ length: 10 }, (_, index) =>
    store.commit([{ object: sample("a", { index }) }]),
  );
  const results = await Promise.all(calls);
  clearTimeout(release);
  other.close();

  expect(results.map(({ versions }) => versions[0]?.version)).toEqual(
    calls.map((_, index) => index + 1),
  );
});

it("finishes the commits that were requested before it was closed", async () => {
  await using place = await sqlitePlace();
  const store = await place.open();
  const calls = Array.from({ length: 5 }, (_, index) =>
    store.commit([{ object: sample("a", { index }) }]),
  );

  await store[Symbol.asyncDispose]();

  expect((await Promise.all(calls)).length).toBe(5);
});
