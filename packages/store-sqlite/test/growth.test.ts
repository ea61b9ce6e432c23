import { type JsonValue, objectId } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";

import type { SqlValue } from "../src/connection.ts";
import { unpackText } from "../src/packed-text.ts";
import { sqlitePlace } from "./sqlite-place.ts";

it("stores a growing chat in space proportional to its text", async () => {
  await using place = await sqlitePlace();
  const store = await place.open();
  const turns: JsonValue[] = [];
  let said = 0;
  for (let count = 1; count <= 400; count += 1) {
    const user = `turn ${count} ${"some words ".repeat(30)}`;
    said += user.length;
    turns.push(Object.freeze({ user, steps: [] }));
    await store.commit([{ object: sample("chat", { turns: [...turns] }) }]);
  }
  await store[Symbol.asyncDispose]();

  const rows = versionsOf(place.path, "chat");

  expect((await stat(place.path)).size).toBeLessThan(said * 3);
  expect(rows.every(({ base }) => base === 1)).toBe(true);
});

it("keeps the chain of deltas short for an object that changes and does not grow", async () => {
  await using place = await sqlitePlace();
  const store = await place.open();
  for (let count = 1; count <= 400; count += 1) {
    const pool = Array.from({ length: 40 }, (_, index) => ({
      id: `object ${(count * 7 + index * 13) % 97}`,
      count,
    }));
    await store.commit([{ object: sample("session", { pool }) }]);
  }
  await store[Symbol.asyncDispose]();

  const rows = versionsOf(place.path, "session");

  for (const { weight, size } of rows) expect(weight).toBeLessThanOrEqual(3 * size + 8192);
  expect(new Set(rows.map(({ base }) => base)).size).toBeGreaterThan(10);
  for (const { size, real } of rows.filter(({ base, version }) => base === version)) {
    expect(Math.abs(size - real) / real).toBeLessThan(0.5);
  }
});

it("stores a long text once, however many objects contain it", async () => {
  await using place = await sqlitePlace();
  const store = await place.open();
  const content = "a long text ".repeat(50_000);
  for (let count = 0; count < 10; count += 1) {
    await store.commit([{ object: sample(`file ${count}`, { content, count }) }]);
    await store.commit([{ object: sample(`call ${count}`, { blocks: [{ text: content }] }) }]);
  }
  await store[Symbol.asyncDispose]();

  expect((await stat(place.path)).size).toBeLessThan(content.length * 1.5);
});

it("reads a long history without rebuilding each version from its base", async () => {
  await using place = await sqlitePlace();
  await using store = await place.open();
  const id = objectId("chat");
  const turns: JsonValue[] = [];
  for (let count = 1; count <= 300; count += 1) {
    turns.push({ user: `turn ${count}` });
    await store.commit([{ object: sample("chat", { turns: [...turns] }) }]);
  }
  await using reader = await place.open();

  const firstTurns: unknown[] = [];
  for (let version = 1; version < 300; version += 1) {
    const stored = await reader.get(id, { version });
    firstTurns.push((stored?.body["turns"] as readonly JsonValue[] | undefined)?.[0]);
  }

  // Each version is rebuilt from the one before, so the part that they share is the same JavaScript object.
  expect(new Set(firstTurns).size).toBe(1);
});

interface VersionRow {
  readonly version: number;
  readonly base: number;
  readonly weight: number;
  readonly size: number;
  readonly real: number;
}

function versionsOf(path: string, id: string): readonly VersionRow[] {
  using database = new DatabaseSync(path);
  const rows = database
    .prepare(
      "SELECT version, base, weight, size, delta FROM versions " +
        "WHERE object = (SELECT key FROM objects WHERE id = ?)",
    )
    .all(id) as unknown as readonly (Omit<VersionRow, "real"> & { readonly delta: SqlValue })[];
  return rows.map(({ delta, ...row }) => ({
    ...row,
    real: delta === null ? 0 : unpackText(delta).length,
  }));
}
