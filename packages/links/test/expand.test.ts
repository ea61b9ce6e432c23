import {
  type DynamicReference,
  objectId,
  type ObjectStore,
  staticReference,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { expect, it } from "vitest";

import { expand, type Expansion } from "../src/expand.ts";
import { updateIndex } from "../src/update-index.ts";
import { partsOf, put } from "./written-notes.ts";

function to(id: string): DynamicReference {
  return { ref: "dynamic", id: objectId(id) };
}

function written({ items }: Expansion): readonly string[] {
  return items.map(({ reference, version, parent, path, sameAs }) => {
    const place = parent === undefined ? "" : ` in ${parent}${path ?? ""}`;
    return `${reference.id}@${version ?? "none"}${place}${sameAs === undefined ? "" : ` as ${sameAs}`}`;
  });
}

it("expands breadth first in the order of the places, whatever the order of the fields", async () => {
  await using store = memoryStore();
  for (const id of ["a", "b", "c"]) await put(store, id, id);
  const many = Array.from({ length: 11 }, (_, item) => to(item === 10 ? "c" : "a"));
  await put(store, "list", null, { z_ref: to("b"), refs: many, inner: { x: to("c") } });
  await put(store, "top", null, { second: to("a"), first: to("list") });

  const expansion = await expand(store, [to("top")], { depth: 2 });

  expect(written(expansion)).toEqual([
    "top@1",
    "list@1 in 0/first",
    "a@1 in 0/second",
    "c@1 in 1/inner/x",
    ...Array.from({ length: 10 }, (_, item) => `a@1 in 1/refs/${item} as 2`),
    "c@1 in 1/refs/10 as 3",
    "b@1 in 1/z_ref",
  ]);
});

it("expands each version of an object once, and each of its fields", async () => {
  await using store = memoryStore();
  const first = await put(store, "a", "one", { summary: "first" });
  await put(store, "a", "two", { summary: "second" });

  const { items } = await expand(
    store,
    [
      staticReference(first),
      to("a"),
      staticReference(first),
      staticReference(first, { field: "summary" }),
      { ...to("a"), field: "summary" },
    ],
    { fields: ["content"] },
  );

  expect(
    items.map(({ object, sameAs }) => object?.["content"] ?? object?.["summary"] ?? sameAs),
  ).toEqual(["one", "two", 0, "first", "second"]);
});

it("walks from a field only to what is in the field", async () => {
  await using store = memoryStore();
  for (const id of ["b", "c", "d"]) await put(store, id, "");
  await put(store, "a", "[[d]]", {
    refs: [to("b")],
    refs_2: [to("c")],
    other: to("c"),
    inner: { to: to("b"), from: to("c") },
  });
  const parts = partsOf(store);
  await updateIndex(store, parts.parser);
  const of = async (field: string) =>
    written(await expand(store, [{ ...to("a"), field }], { depth: 1, links: parts }));

  expect(await of("refs")).toEqual(["a@1", "b@1 in 0/refs/0"]);
  expect(await of("other")).toEqual(["a@1", "c@1 in 0/other"]);
  expect(await of("inner.to")).toEqual(["a@1", "b@1 in 0/inner/to"]);
  expect(await of("/refs_2/0")).toEqual(["a@1", "c@1 in 0/refs_2/0"]);
  expect(await of("content")).toEqual(["a@1", "d@1 in 0/content"]);
});

it("walks only references at the places of its pattern, and as deep as its depth", async () => {
  await using store = memoryStore();
  await put(store, "c", null);
  await put(store, "b", null, { refs: [to("c")], other: to("c") });
  await put(store, "a", null, { refs: [to("b")], other: to("c") });

  const of = async (options: { depth: number; pattern?: string }) =>
    written(await expand(store, [to("a")], options));

  expect(await of({ depth: 0 })).toEqual(["a@1"]);
  expect(await of({ depth: 1, pattern: "refs[*]" })).toEqual(["a@1", "b@1 in 0/refs/0"]);
  expect(await of({ depth: 2, pattern: "refs[*]" })).toEqual([
    "a@1",
    "b@1 in 0/refs/0",
    "c@1 in 1/refs/0",
  ]);
  expect(await of({ depth: 2, pattern: "nothing" })).toEqual(["a@1"]);
});

it("reads dynamic references as of a transaction, and fields of them", async () => {
  await using store = memoryStore();
  const first = await put(store, "a", "one", { to: to("b"), summary: "first" });
  await put(store, "b", "b one");
  await put(store, "a", "two", { to: to("b"), summary: "second" });
  const { tx_id: txId } = first.at;

  const { items, txId: answered } = await expand(
    store,
    [{ ...to("a"), field: "summary" }, to("a")],
    {
      txId,
      depth: 1,
      fields: ["content"],
    },
  );

  expect(answered).toBe(txId);
  expect(items.map(({ version, object }) => [version, object])).toEqual([
    [1, { summary: "first" }],
    [1, { id: "a", type: "note", content: "one" }],
    [undefined, undefined],
  ]);
  expect(items[2]?.problem?.text).toBe(`object b did not exist as of transaction ${txId}`);
});

it("repeats a walk during which objects change, so that all are of one state", async () => {
  await using store = memoryStore();
  await put(store, "a", "one", { to: to("b") });
  await put(store, "b", "one");
  let changes = 0;
  const changing: ObjectStore = {
    ...store,
    async get(id, at) {
      // When the second object is read, both get a new version.
      if (id === "b" && changes === 0) {
        changes += 1;
        await put(store, "a", "two", { to: to("b") });
        await put(store, "b", "two");
      }
      return await store.get(id, at);
    },
  };

  const { items, txId } = await expand(changing, [to("a")], { depth: 1, fields: ["content"] });

  expect(items.map(({ object }) => object?.["content"])).toEqual(["two", "two"]);
  expect((await store.get(objectId("b")))?.at.tx_id).toBe(txId);
});

it("says that it is cut only if references remain", async () => {
  await using store = memoryStore();
  await put(store, "b", null);
  await put(store, "a", null, { refs: [to("b"), to("b")] });
  const cut = async (limit: number) => (await expand(store, [to("a")], { depth: 1, limit })).isCut;

  expect(await cut(2)).toBe(true);
  expect(await cut(3)).toBe(false);
});

it("walks the links of documents behind their references, those that lead somewhere", async () => {
  await using store = memoryStore();
  for (const id of ["b", "c"]) await put(store, id, "");
  await put(store, "a", "[[nowhere]] part_of::[[b]] [[a]]", { about: to("c") });
  const parts = partsOf(store);
  await updateIndex(store, parts.parser);

  const all = await expand(store, [to("a")], { depth: 1, links: parts });
  const links = await expand(store, [to("a")], { depth: 1, links: parts, pattern: "content" });

  expect(written(all)).toEqual([
    "a@1",
    "c@1 in 0/about",
    "b@1 in 0/content",
    "a@1 in 0/content as 0",
  ]);
  expect(all.items.map(({ link }) => link?.relation)).toEqual([
    undefined,
    undefined,
    "part_of",
    undefined,
  ]);
  expect(written(links)).toEqual(["a@1", "b@1 in 0/content", "a@1 in 0/content as 0"]);
});
