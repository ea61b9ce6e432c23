import { objectId, type StoredVersion } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { DatabaseSync } from "node:sqlite";
import { expect, it, vi } from "vitest";

import { sqlitePlace } from "./sqlite-place.ts";

const id = objectId("view");

it("stops at a damaged version, and continues after it", async () => {
  await using place = await sqlitePlace();
  {
    await using store = await place.open();
    for (let number = 1; number <= 90; number += 1)
      await store.commit([{ object: sample("view", { layout: `layout ${number}` }) }]);
  }
  change(place.path, "UPDATE versions SET metadata = x'00' WHERE version = 70");
  await using store = await place.open();

  const before = await readUntilDamage(store.versions(id));
  const after = await readUntilDamage(store.versions(id, { from: 71 }));

  expect(before).toEqual({ numbers: numbers(1, 69), code: "STORE_CORRUPT" });
  expect(after).toEqual({ numbers: numbers(71, 90) });
});

it("reports a version whose row is missing, and the versions that depend on it", async () => {
  await using place = await sqlitePlace();
  {
    await using store = await place.open();
    for (let number = 1; number <= 5; number += 1)
      await store.commit([{ object: sample("view", { entries: [`row ${number}`] }) }]);
  }
  change(place.path, "PRAGMA foreign_keys = OFF; DELETE FROM versions WHERE version = 3");
  await using store = await place.open();

  const before = await readUntilDamage(store.versions(id));
  const after = await readUntilDamage(store.versions(id, { from: 4 }));

  await expect(store.get(id, { version: 3 })).rejects.toThrow(
    "version 3 of object view is missing",
  );
  await expect(store.history(id)).rejects.toThrow("version 3 of object view is missing");
  expect(before).toEqual({ numbers: [1, 2], code: "STORE_CORRUPT" });
  expect(after).toEqual({ numbers: [], code: "STORE_CORRUPT" });
});

it("is not disturbed by other objects that are read in between, and reads each delta once", async () => {
  await using place = await sqlitePlace();
  await using writer = await place.open();
  const rows = Array.from({ length: 40 }, (_, index) => ({ row: `${index} ${"x".repeat(300)}` }));
  for (let number = 1; number <= 100; number += 1)
    await writer.commit([
      { object: sample("view", { turns: [...rows, { row: String(number) }] }) },
      { object: sample("other", { turns: [{ row: String(number) }] }) },
    ]);
  await using store = await place.open();
  const parse = vi.spyOn(JSON, "parse");

  const others = store.versions(objectId("other"))[Symbol.asyncIterator]();
  for await (const { version, body } of store.versions(id)) {
    const other = await others.next();
    expect((other.value as StoredVersion).version).toBe(version);
    expect(body["turns"]).toEqual([...rows, { row: String(version) }]);
    // Another process can write meanwhile.
    if (version === 50) await writer.commit([{ object: sample("third", { version }) }]);
  }

  const parsed = parse.mock.calls.length;
  parse.mockRestore();
  expect(parsed).toBeLessThanOrEqual(2 * 100 * 2 + 10);
});

async function readUntilDamage(
  versions: AsyncIterable<StoredVersion>,
): Promise<{ readonly numbers: readonly number[]; readonly code?: unknown }> {
  const read: number[] = [];
  try {
    for await (const { version } of versions) read.push(version);
    return { numbers: read };
  } catch (error) {
    return { numbers: read, code: (error as { readonly code?: unknown }).code };
  }
}

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}
