import { type JsonObject, objectId } from "@self-context-manager/objects";
import { arbitraryFields, sample } from "@self-context-manager/store-contract";
import * as fc from "fast-check";
import { stat } from "node:fs/promises";
import { expect, it } from "vitest";

import { type FileSizes, openStoreFile } from "../src/index.ts";
import { sqlitePlace } from "./sqlite-place.ts";

it("counts the versions of each object, and a text of several objects once, with the first one", async () => {
  await using place = await sqlitePlace();
  const long = "long ".repeat(400);
  await using store = await place.open();
  await store.commit([{ object: sample("first", { content: long }) }]);
  await store.commit([{ object: sample("second", { content: long, kind: "copy" }) }]);
  await store.commit([{ object: sample("second", { content: "short" }) }]);

  const { objects, texts } = await sizesOf(place.path);

  expect([...objects].map(([id, { versions }]) => [id, versions])).toEqual([
    ["first", 1],
    ["second", 2],
  ]);
  expect(texts.map(({ holders }) => holders)).toEqual([["first", "second"]]);
  expect(texts[0]?.bytes).toBeLessThan(long.length / 2);
});

it("counts a text that another one contains once, with both", async () => {
  await using place = await sqlitePlace();
  await using store = await place.open();
  const part = "part ".repeat(400);
  const blocks = [{ type: "text", text: part }];
  await store.commit([{ object: sample("first", { content: `a "${part}" z`, blocks }) }]);
  await store.commit([{ object: sample("second", { content: `${part}.`, details: part }) }]);

  const { texts } = await sizesOf(place.path);

  expect(texts.map(({ holders }) => holders)).toEqual([["first", "second"]]);
});

it.each(["~+1@0;x", '"~+1@0;~#1"', '"~#1"', 'say "~#1"', '\\"~#1', "~#1", "~~#1", '{"~#1":"~#1"}'])(
  "takes no text for the place of another one: %s",
  async (text) => {
    await using place = await sqlitePlace();
    await using store = await place.open();
    const details: JsonObject = { text, "~#1": text, "~+1@0;~#1": 1, list: [text, "~#1"] };
    await store.commit([{ object: sample("long", { content: "x".repeat(2_000) }) }]);
    await store.commit([{ object: sample("other", { content: text, details }) }]);

    const { texts } = await sizesOf(place.path);

    expect(texts.map(({ holders }) => holders)).toEqual([["long"]]);
  },
);

it("in any history each version is counted, and each text has a holder", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryFields, { minLength: 1, maxLength: 6 }), async (all) => {
      // A nickname cannot be that of two objects.
      const bodies = all.map((fields) => ({ ...fields, nickname: undefined }));
      await using place = await sqlitePlace();
      await using store = await place.open();
      for (const [index, fields] of bodies.entries())
        await store.commit([{ object: sample(`object ${index % 3}`, fields) }]);

      const { objects, texts } = await sizesOf(place.path);

      for (const [id, { versions }] of objects)
        expect(versions).toBe((await store.history(id)).length);
      expect(texts.filter(({ holders }) => holders.length === 0)).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

it("the pages are those of the file", async () => {
  await using place = await sqlitePlace();
  const store = await place.open();
  for (let count = 0; count < 50; count += 1)
    await store.commit([
      { object: sample(`file ${count}`, { content: `${count} `.repeat(2_000) }) },
    ]);
  await store[Symbol.asyncDispose]();

  const { pages, objects, texts } = await sizesOf(place.path);

  const sum = Object.values(pages).reduce((total, bytes) => total + bytes, 0);
  expect(sum).toBe((await stat(place.path)).size);
  expect(sumOf(texts)).toBeLessThanOrEqual(pages.texts);
  expect(sumOf([...objects.values()])).toBeLessThanOrEqual(pages.versions);
  expect(objects.get(objectId("file 7"))?.bytes).toBeGreaterThan(0);
});

function sumOf(all: readonly { readonly bytes: number }[]): number {
  return all.reduce((total, { bytes }) => total + bytes, 0);
}

async function sizesOf(path: string): Promise<FileSizes> {
  using file = await openStoreFile(path);
  return file.sizes();
}
