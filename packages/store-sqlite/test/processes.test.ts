import { objectId } from "@self-context-manager/core";
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

import { openSqliteStore } from "../src/index.ts";
import { sample } from "./sample.ts";
import { sqlitePlace } from "./sqlite-place.ts";

const probe = fileURLToPath(new URL("./open-probe.ts", import.meta.url));

it("opens a new file in several processes at once", { timeout: 60_000 }, async () => {
  for (let round = 0; round < 3; round += 1) {
    await using place = await sqlitePlace();
    const path = join(dirname(place.path), "new", "store.sqlite");
    const args = ["--conditions=@self-context-manager/source", probe, path];

    const probes = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, args));
    const here = openSqliteStore({ path });
    const outcomes = await Promise.all(probes);
    await using store = await here;

    expect(outcomes.map(({ stdout }) => stdout)).toEqual(outcomes.map(() => '{"opened":true}\n'));
    await store.commit([{ object: sample("a") }]);
  }
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

it("does not take its own cache for the latest when another wrote", async () => {
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

it("makes the commits of one store in the order of the calls", async () => {
  await using place = await sqlitePlace();
  await using store = await place.open();
  const calls = Array.from({ length: 10 }, (_, index) =>
    store.commit([{ object: sample("a", { index }) }]),
  );

  const results = await Promise.all(calls);

  expect(results.map(({ versions }) => versions[0]?.version)).toEqual(
    calls.map((_, index) => index + 1),
  );
});

it("finishes what was asked before it was closed", async () => {
  await using place = await sqlitePlace();
  const store = await place.open();
  const calls = Array.from({ length: 5 }, (_, index) =>
    store.commit([{ object: sample("a", { index }) }]),
  );

  await store[Symbol.asyncDispose]();

  expect((await Promise.all(calls)).length).toBe(5);
});
