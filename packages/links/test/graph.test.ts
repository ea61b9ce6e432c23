import { objectId, type ObjectStore } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { describe, expect, it } from "vitest";

import type { LinkParts } from "../src/follow-links.ts";
import { type Edge, edgesOf, walkLinks, type WalkOptions } from "../src/graph.ts";
import { updateIndex } from "../src/update-index.ts";
import { partsOf, put } from "./written-notes.ts";

/** Two circles, a link to itself, and a link that leads nowhere. */
async function graphOf(store: ObjectStore): Promise<LinkParts> {
  const notes = {
    a: "part_of::[[b]] [[c]] [[nowhere]]",
    b: "[[a]] [[d]]",
    c: "[[#Here]] part_of::[[d]] [[d]]",
    d: "[[e]]",
    e: "[[d]]",
  };
  for (const [id, content] of Object.entries(notes)) await put(store, id, content);
  const parts = partsOf(store);
  await updateIndex(store, parts.parser);
  return parts;
}

function written(edges: readonly Edge[]): readonly string[] {
  return edges.map(({ from, to, relation }) => `${from} ${relation} ${to}`);
}

async function walked(
  parts: LinkParts,
  options: WalkOptions,
): Promise<readonly [objects: string, edges: readonly string[], isCut: boolean]> {
  const { objects, edges, isCut } = await walkLinks(objectId("a"), options, parts);
  const reached = objects.map(({ id, depth }) => `${id}${depth}`).join(" ");
  return [reached, written(edges), isCut];
}

describe("the links of an object", () => {
  it("are those that it has, those that lead to it, or both", async () => {
    await using store = memoryStore();
    const parts = await graphOf(store);
    const of = async (id: string, direction: "in" | "out" | "both") =>
      written(await edgesOf(objectId(id), { direction }, parts));

    expect(await of("a", "out")).toEqual(["a part_of b", "a links_to c"]);
    expect(await of("d", "in")).toEqual([
      "b links_to d",
      "c part_of d",
      "c links_to d",
      "e links_to d",
    ]);
    expect(await of("e", "both")).toEqual(["e links_to d", "d links_to e"]);
  });

  it("contain a link to the object itself once", async () => {
    await using store = memoryStore();
    const parts = await graphOf(store);

    const both = written(await edgesOf(objectId("c"), { direction: "both" }, parts));

    expect(both.filter((edge) => edge === "c links_to c")).toHaveLength(1);
    expect(written(await edgesOf(objectId("c"), { direction: "in" }, parts))).toEqual([
      "a links_to c",
      "c links_to c",
    ]);
  });

  it("are limited to relations", async () => {
    await using store = memoryStore();
    const parts = await graphOf(store);
    const of = async (relations: readonly string[]) =>
      written(await edgesOf(objectId("d"), { direction: "in", relations }, parts));

    expect(await of(["part_of"])).toEqual(["c part_of d"]);
    expect(await of(["links_to"])).toEqual(["b links_to d", "c links_to d", "e links_to d"]);
    expect(await of(["part_of", "other"])).toEqual(["c part_of d"]);
  });

  it("say if their name has several meanings", async () => {
    await using store = memoryStore();
    const file = { type: "file", file_type: "markdown" };
    await put(store, "a", "", { ...file, path: "/work/a/Plan.md" });
    await put(store, "b", "", { ...file, path: "/work/b/Plan.md" });
    await put(store, "c", "[[plan]] [[b/Plan]]", { ...file, path: "/work/c.md" });
    const parts = partsOf(store);
    await updateIndex(store, parts.parser);

    const edges = await edgesOf(objectId("c"), { direction: "out" }, parts);

    expect(edges.map(({ to, isAmbiguous }) => [to, isAmbiguous])).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });
});

describe("a walk", () => {
  it("reaches each object once, by the shortest path", async () => {
    await using store = memoryStore();
    const parts = await graphOf(store);

    expect(await walked(parts, { direction: "out", depth: 9 })).toEqual([
      "a0 b1 c1 d2 e3",
      [
        "a part_of b",
        "a links_to c",
        "b links_to a",
        "b links_to d",
        "c links_to c",
        "c part_of d",
        "c links_to d",
        "d links_to e",
        "e links_to d",
      ],
      false,
    ]);
  });

  it("ends at its depth", async () => {
    await using store = memoryStore();
    const parts = await graphOf(store);

    expect((await walked(parts, { direction: "out" }))[0]).toBe("a0 b1 c1");
    expect((await walked(parts, { direction: "out", depth: 2 }))[0]).toBe("a0 b1 c1 d2");
    expect((await walked(parts, { direction: "out", depth: 0 }))[0]).toBe("a0");
    expect((await walked(parts, { direction: "in", depth: 9 }))[0]).toBe("a0 b1");
  });

  it("says that its limit left objects out, and has only links between those that it returns", async () => {
    await using store = memoryStore();
    const parts = await graphOf(store);

    expect(await walked(parts, { direction: "out", depth: 9, limit: 3 })).toEqual([
      "a0 b1 c1",
      ["a part_of b", "a links_to c", "b links_to a", "c links_to c"],
      true,
    ]);
    expect((await walked(parts, { direction: "out", depth: 9, limit: 5 }))[2]).toBe(false);
  });

  it("follows only links with the relations", async () => {
    await using store = memoryStore();
    const parts = await graphOf(store);

    const [objects, edges] = await walked(parts, { depth: 9, relations: ["part_of"] });

    expect(objects).toBe("a0 b1");
    expect(edges).toEqual(["a part_of b"]);
  });
});
