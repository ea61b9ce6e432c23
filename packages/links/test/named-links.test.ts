import {
  type DocumentParser,
  type ObjectBody,
  type ObjectId,
  objectId,
  type ParsedLink,
  sealObject,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { expect, it } from "vitest";

import { linkNamed, linksToFiles, updateIndex } from "../src/index.ts";

const workspace = "/work";

/** A parser that finds nothing: only the names of the objects matter here. */
const parser: DocumentParser = {
  name: "none",
  parse: () => ({
    parser: "none",
    front_matter: { state: "absent" },
    aliases: [],
    headings: [],
    links: [],
    tags: [],
  }),
};

function file(id: string, path: string, nickname?: string): ObjectBody {
  return {
    id: objectId(id),
    type: "file",
    locked: false,
    content: "text",
    path,
    file_type: "text",
    ...(nickname === undefined ? {} : { nickname }),
    provenance: { origin: path, generator: "human" },
  };
}

function link(name: string, syntax: ParsedLink["syntax"] = "wiki"): ParsedLink {
  return { path: "content", range: [0, 1], syntax, raw: name, name };
}

it.each([
  ["plan", { state: "resolved", id: "f1", rank: "nickname" }],
  ["Sprint #4.txt", { state: "resolved", id: "f2", rank: "path" }],
  ["a/notes.txt#Costs", { state: "resolved", id: "f1", rank: "path", heading: "Costs" }],
  ["notes.txt", { state: "ambiguous", id: "f1", rank: "suffix", candidates: ["f1", "f3"] }],
  ["other", { state: "unresolved" }],
  ["#Costs", { state: "unresolved" }],
  ["", { state: "unresolved" }],
])("the name %j, written by a person, means what it means in a link", async (name, expected) => {
  await using store = memoryStore({ clock: { now: () => 0 } });
  await store.commit(
    [
      file("f1", "/work/a/notes.txt", "plan"),
      file("f2", "/work/Sprint #4.txt"),
      file("f3", "/work/b/notes.txt"),
    ].map((body) => ({ object: sealObject(body) })),
  );
  await updateIndex(store, parser);

  expect(await linkNamed(name, { store, parser, workspace })).toEqual(expected);
});

it("files that are no objects are found by the rules for objects", () => {
  const finder = linksToFiles(["/work/a/Picture.png", "/work/b/x.png", "/work/x.png"], workspace);

  expect(finder.find(link("picture.png"), "/work/note.md")).toBe("/work/a/Picture.png");
  expect(finder.find(link("x.png"), "/work/b/note.md")).toBe("/work/x.png");
  expect(finder.find(link("x.png", "markdown"), "/work/b/note.md")).toBe("/work/b/x.png");
  expect(finder.find(link("./picture.png"), "/work/note.md")).toBeUndefined();
  expect(finder.find(link("other.png"), "/work/note.md")).toBeUndefined();
  expect(finder.find(link(""), "/work/note.md")).toBeUndefined();
  expect(finder.keys.toSorted()).toEqual(["picture.png", "x.png"]);
});

it("a name that only objects out of reach have means nothing", async () => {
  await using store = memoryStore({ clock: { now: () => 0 } });
  const bodies = [
    file("f1", "/work/a/notes.txt", "plan"),
    file("f2", "/other/notes.txt", "secret"),
    file("f3", "/work/secret.txt"),
  ];
  await store.commit(bodies.map((body) => ({ object: sealObject(body) })));
  await updateIndex(store, parser);
  const parts = { store, parser, workspace };
  const within = {
    ...parts,
    among: async (ids: readonly ObjectId[]) =>
      await Promise.resolve(new Set(ids.filter((id) => id !== "f2"))),
  };

  expect(await linkNamed("secret", parts)).toMatchObject({ id: "f2", rank: "nickname" });
  expect(await linkNamed("secret.txt", within)).toMatchObject({ id: "f3" });
  expect(await linkNamed("secret", within)).toEqual({ state: "unresolved" });
  expect(await linkNamed("f2", within)).toEqual({ state: "unresolved" });
  expect(await linkNamed("plan", within)).toMatchObject({ id: "f1", rank: "nickname" });
});
