import { objectId } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { expect, it } from "vitest";

import { backlinksOf, type FollowedLink, linksOf, linksOfVersion } from "../src/follow-links.ts";
import { updateIndex } from "../src/update-index.ts";
import { linkParser, partsOf, put } from "./written-notes.ts";

function written(links: readonly FollowedLink[]): readonly string[] {
  return links.map(({ from, link, target }) => {
    const to = target.state === "unresolved" ? "nothing" : `${target.id} by ${target.rank}`;
    return `${from.id} ${link.raw}: ${to}`;
  });
}

it("follows the links of documents in their order, and none of other objects", async () => {
  await using store = memoryStore();
  await put(store, "a", "[[b]] [[the-plan]] [[x]] [[#Top]]");
  await put(store, "b", "[[a#Top]]");
  await put(store, "c", "[[a]]", { type: "toolcall", nickname: "the-plan" });
  const parts = partsOf(store);
  await updateIndex(store, parts.parser);

  const links = await linksOf(
    [objectId("a"), objectId("c"), objectId("none"), objectId("b")],
    parts,
  );

  expect(written(links)).toEqual([
    "a b: b by id",
    "a the-plan: c by nickname",
    "a x: nothing",
    "a #Top: a by self",
    "b a#Top: a by id",
  ]);
});

it("finds the meaning of a name that gets one later, without a new version of the document", async () => {
  await using store = memoryStore();
  await put(store, "a", "[[plan]]");
  const parts = partsOf(store);
  await updateIndex(store, parts.parser);
  expect(written(await linksOf([objectId("a")], parts))).toEqual(["a plan: nothing"]);

  const file = { type: "file", file_type: "markdown" };
  await put(store, "b", "", { ...file, path: "/work/notes/Plan.md" });
  await updateIndex(store, parts.parser);
  expect(written(await linksOf([objectId("a")], parts))).toEqual(["a plan: b by suffix"]);
  expect(written(await backlinksOf(objectId("b"), parts))).toEqual(["a plan: b by suffix"]);

  await put(store, "b", "", { ...file, path: "/work/notes/Other.md" });
  await updateIndex(store, parts.parser);
  expect(written(await linksOf([objectId("a")], parts))).toEqual(["a plan: nothing"]);
  expect(await backlinksOf(objectId("b"), parts)).toEqual([]);
});

it("finds the links to an object by any of its names, its own ones to itself included", async () => {
  await using store = memoryStore();
  const file = { type: "file", file_type: "markdown" };
  await put(store, "z", "[[#Here]] [[plan]]", {
    ...file,
    path: "/work/b/Plan.md",
    nickname: "goal",
  });
  await put(store, "other", "", { ...file, path: "/work/a/Plan.md" });
  await put(store, "c", "[[goal]] [[none]] [[z#Part]]");
  // The document's own folder comes first, so this one means the other plan.
  await put(store, "d", "[[plan]]", { ...file, path: "/work/a/note.md" });
  const parts = partsOf(store);
  await updateIndex(store, parts.parser);

  expect(written(await backlinksOf(objectId("z"), parts))).toEqual([
    "c goal: z by nickname",
    "c z#Part: z by id",
    "z #Here: z by self",
    "z plan: z by suffix",
  ]);
  expect(written(await backlinksOf(objectId("other"), parts))).toEqual(["d plan: other by suffix"]);
});

it("finds an object that has no name but its id, although it is not in the index", async () => {
  await using store = memoryStore();
  const id = "0199aaaa-0000-7000-8000-000000000001";
  await put(store, id, "output", { type: "toolcall" });
  await put(store, "a", `[[${id}]] [[0199aaaa-0000-7000-8000-000000000002]]`);
  const parts = partsOf(store);
  await updateIndex(store, parts.parser);

  expect(written(await linksOf([objectId("a")], parts))).toEqual([
    `a ${id}: ${id} by id`,
    "a 0199aaaa-0000-7000-8000-000000000002: nothing",
  ]);
  expect(written(await backlinksOf(objectId(id), parts))).toEqual([`a ${id}: ${id} by id`]);
});

it("reads the links of an earlier version from its own content, and of the latest from the index", async () => {
  await using store = memoryStore();
  const first = await put(store, "a", "[[b]]");
  const second = await put(store, "a", "[[c]]");
  await put(store, "b", "");
  const parser = linkParser();
  const parts = partsOf(store, parser);
  await updateIndex(store, parser);
  parser.parsed.length = 0;

  expect(written(await linksOfVersion(second, parts))).toEqual(["a c: nothing"]);
  expect(parser.parsed).toEqual([]);
  expect(written(await linksOfVersion(first, parts))).toEqual(["a b: b by id"]);
  expect(parser.parsed).toEqual(["[[b]]"]);
  const toolcall = await put(store, "d", "[[b]]", { type: "toolcall" });
  expect(await linksOfVersion(toolcall, parts)).toEqual([]);
});
