import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { writeNotes } from "./notes.ts";
import { run, temporaryStore, type TemporaryStore } from "./temporary-store.ts";

async function storeWithNotes(): Promise<TemporaryStore> {
  const store = await temporaryStore();
  await writeNotes(store.workspace);
  await store.scm("index");
  return store;
}

/** The lines of an output without those that are empty, with one blank between the columns. */
function rows(output: string): readonly string[] {
  return output
    .split("\n")
    .map((line) => line.trim().replaceAll(/ {2,}/gu, " | "))
    .filter((line) => line !== "");
}

test("links shows relation, line and meaning of each link, and what links to the object", async () => {
  await using store = await storeWithNotes();

  const index = await store.scm("links", "index.md");
  const idea = await store.scm("links", "ideas/Big idea.md");

  expect(rows(index.stdout)).toEqual([
    "index.md | file, version 1",
    "Links out: 7",
    "LINE | RELATION | LINK | TARGET",
    "3 | up | [[Big idea]] | ideas/Big idea.md",
    "7 | links_to | [[Big idea|the idea]] | ideas/Big idea.md",
    "7 | links_to | [[Nothing]] | unresolved",
    "7 | links_to | [[#Start]] | index.md#Start",
    "8 | part_of | [[projects/garden]] | projects/garden.md",
    String.raw`12 | links_to | [[Big idea\|idea]] | ideas/Big idea.md`,
    "12 | links_to | ![[picture.png]] | picture.png (unread)",
    "Links in: 2",
    "FROM | RELATION | LINK",
    "index.md:7 | links_to | [[#Start]]",
    "projects/garden.md:3 | links_to | [[../index]]",
  ]);
  expect(rows(idea.stdout)).toContain(
    "6 | links_to | [[Log]] | a/Log.md (ambiguous: also b/Log.md)",
  );
  expect(rows(idea.stdout)).toContain("projects/garden.md:3 | links_to | [[grand plan]]");
});

test("links --json has places and states for programs", async () => {
  await using store = await storeWithNotes();

  const { stdout } = await store.scm("links", "ideas/Big idea.md", "--json");
  const json = JSON.parse(stdout) as Readonly<Record<string, readonly unknown[]>>;

  expect(json["links_out"]).toMatchObject([
    {
      field: "content",
      line: 6,
      relation: "links_to",
      name: "Log",
      state: "ambiguous",
      to: { path: join(store.workspace, "a/Log.md") },
      candidates: [
        { path: join(store.workspace, "a/Log.md") },
        { path: join(store.workspace, "b/Log.md") },
      ],
    },
  ]);
  expect(json["links_in"]).toMatchObject([
    { from: { path: join(store.workspace, "index.md") }, field: "/front_matter/up", line: 3 },
    { relation: "links_to", line: 7 },
    { line: 12 },
    { rank: "alias" },
  ]);
});

test("a target can be a name as in a link, and one with several meanings is refused", async () => {
  await using store = await storeWithNotes();

  const named = await store.scm("links", "grand plan");
  const several = await store.scm("links", "Log");
  const none = await store.scm("links", "Nothing");

  expect(named.stdout).toContain("ideas/Big idea.md  file");
  expect(several).toMatchObject({
    code: 1,
    stderr:
      "scm links: Log is the name of several objects; give more of the path:\n  a/Log.md\n  b/Log.md\n",
  });
  expect(none.stderr).toContain("the store has no object with the id, nickname, path");
});

test("names are looked up in the workspace", async () => {
  await using store = await storeWithNotes();

  const there = await store.scm("links", "index.md", "--workspace", "projects");

  expect(rows(there.stdout)).toContain("8 | part_of | [[projects/garden]] | unresolved");
});

test("show has the links in both directions", async () => {
  await using store = await storeWithNotes();

  const { stdout } = await store.scm("show", "index.md");
  const json = JSON.parse((await store.scm("show", "index.md", "--json")).stdout) as {
    links_out: unknown[];
    links_in: unknown[];
  };

  expect(rows(stdout)).toContain("8 | part_of | [[projects/garden]] | projects/garden.md");
  expect(rows(stdout)).toContain("projects/garden.md:3 | links_to | [[../index]]");
  expect([json.links_out.length, json.links_in.length]).toEqual([7, 2]);
});

test("graph shows each object once, and marks cycles", async () => {
  await using store = await storeWithNotes();

  const { stdout } = await store.scm("graph", "projects/garden.md", "--depth", "2");
  const out = await store.scm("graph", "projects/garden.md", "--direction", "in");
  const typed = await store.scm("graph", "index.md", "--relation", "up,part_of");
  const cut = await store.scm("graph", "index.md", "--limit", "2");

  expect(stdout).toBe(
    [
      "projects/garden.md",
      "  → links_to  index.md",
      "    → up  ideas/Big idea.md (above)",
      "    → links_to ×2  ideas/Big idea.md (above)",
      "    → links_to  index.md (above)",
      "    → links_to  picture.png",
      "  → links_to  ideas/Big idea.md",
      "    → links_to (ambiguous)  a/Log.md",
      "  ← part_of  index.md (above)",
      "",
    ].join("\n"),
  );
  expect(out.stdout).toBe("projects/garden.md\n  ← part_of  index.md\n");
  expect(typed.stdout).toBe(
    "index.md\n  → up  ideas/Big idea.md\n  → part_of  projects/garden.md\n",
  );
  expect(cut.stderr).toBe("Only 2 objects are shown; --limit shows more.\n");
});

test("graph --json has objects with their distance, and links", async () => {
  await using store = await storeWithNotes();

  const { stdout } = await store.scm("graph", "a/Log.md", "--json");

  expect(JSON.parse(stdout)).toMatchObject({
    objects: [
      { depth: 0, path: join(store.workspace, "a/Log.md") },
      { depth: 1, path: join(store.workspace, "ideas/Big idea.md") },
    ],
    edges: [{ relation: "links_to", raw: "Log", ambiguous: true }],
    is_cut: false,
  });
});

test("check lists broken, ambiguous and unread links, and fails if one is broken", async () => {
  await using store = await storeWithNotes();
  await writeNotes(store.workspace, {
    "later.md": "[[picture.png]]\n",
    "projects/more.md":
      "[[unused.png]] and [[picture.png]]\n# What is it?\n[[#What is it?]] [x](#what-is-it) [[#^block]] [[#Other]]\n",
  });
  await store.scm("index", "projects");

  const all = await store.scm("check");
  const ambiguous = await store.scm("check", "--only", "ambiguous");
  const sound = await store.scm("check", "a");

  expect(all.code).toBe(1);
  expect(all.stdout).toBe(
    [
      "ideas/Big idea.md",
      "  6  ambiguous  [[Log]] → a/Log.md, also b/Log.md",
      "index.md",
      "   7  broken     [[Nothing]]",
      "  12  unread     ![[picture.png]] → picture.png (named, not read)",
      "projects/more.md",
      "  1  unread     [[unused.png]] → unused.png (on the disk, not in the store)",
      "  1  unread     [[picture.png]] → picture.png (named, not read)",
      '  3  broken     [[#Other]] → projects/more.md#Other (no heading "Other")',
      "",
      "6 notes, 16 links: 2 broken, 1 ambiguous, 3 unread",
      "",
    ].join("\n"),
  );
  expect(all.stderr).toBe(
    "2 Markdown files are not in the store and are not checked; scm index . stores them\n" +
      "scm check: 2 links are broken\n",
  );
  expect(rows(ambiguous.stdout)).toHaveLength(3);
  expect(sound).toMatchObject({
    code: 0,
    stdout: "1 note, 0 links: 0 broken, 0 ambiguous, 0 unread\n",
  });
});

test("check needs notes in the store, and names the command that stores them", async () => {
  await using store = await temporaryStore();
  await writeNotes(store.workspace);
  await store.scm("index", "projects");

  const { code, stderr } = await store.scm("check", "ideas");

  expect(code).toBe(1);
  expect(stderr).toBe(
    `scm check: the store has no notes of ${join(store.workspace, "ideas")}; store them with scm index ideas\n`,
  );
});

test("links FOLDER --json prints links and tags of a folder, without a store", async () => {
  await using store = await temporaryStore();
  await writeNotes(store.workspace);

  const { code, stdout } = await run(["links", ".", "--json"], {}, store.workspace);

  const start = { from: "index.md", to: "ideas/Big idea.md", how: "suffix", name: "Big idea" };
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    root: ".",
    links: [
      {
        from: "ideas/Big idea.md",
        at: "body:5",
        raw: "Log",
        name: "Log",
        to: "a/Log.md",
        how: "ambiguous",
        candidates: ["a/Log.md", "b/Log.md"],
      },
      { ...start, at: "front_matter/up", raw: "Big idea" },
      { ...start, at: "body:6", raw: "Big idea|the idea", alias: "the idea" },
      { from: "index.md", at: "body:6", raw: "Nothing", name: "Nothing", how: "broken" },
      {
        from: "index.md",
        at: "body:6",
        raw: "#Start",
        name: "",
        heading: "Start",
        to: "index.md",
        how: "self",
      },
      {
        from: "index.md",
        at: "body:7",
        raw: "projects/garden",
        name: "projects/garden",
        to: "projects/garden.md",
        how: "exact",
      },
      { ...start, at: "body:11", raw: "Big idea|idea", alias: "idea" },
      {
        from: "index.md",
        at: "body:11",
        raw: "picture.png",
        embed: true,
        name: "picture.png",
        to: "picture.png",
        how: "exact",
      },
      {
        from: "projects/garden.md",
        at: "body:2",
        raw: "../index",
        name: "../index",
        to: "index.md",
        how: "relative",
      },
      {
        from: "projects/garden.md",
        at: "body:2",
        raw: "grand plan",
        name: "grand plan",
        to: "ideas/Big idea.md",
        how: "alias",
      },
    ],
    tags: { "area/home": ["ideas/Big idea.md", "index.md"], start: ["index.md"] },
  });
});

test("links FOLDER prints a row for each link", async () => {
  await using store = await temporaryStore();
  await writeNotes(store.workspace);

  const { stdout, stderr } = await run(["links", store.workspace], {}, "/");

  expect(rows(stdout)).toContain(
    "ideas/Big idea.md:6 | [[Log]] | a/Log.md (ambiguous: 2 files) | ambiguous",
  );
  expect(rows(stdout)).toContain("index.md:7 | [[Nothing]] | broken | broken");
  expect(stderr).toBe("10 wiki links, 2 tags\n");
});

// Real vaults are not in the repository: `SCM_VAULTS` names their folder, with NAME.links.json beside each folder NAME.
const vaults = process.env["SCM_VAULTS"];
const names = vaults === undefined ? [] : globSync("*.links.json", { cwd: vaults });

interface Links {
  readonly root: string;
  readonly links: readonly (Readonly<Record<string, unknown>> & { readonly at: string })[];
}

describe.runIf(names.length > 0)("real vaults", () => {
  test.each(names)("links FOLDER --json has the expected links: %s", async (name) => {
    const expected = JSON.parse(readFileSync(join(vaults ?? "", name), "utf8")) as Links;

    const { stdout } = await run(["links", expected.root, "--json"], {}, vaults ?? "");

    expect(inOrder(JSON.parse(stdout) as Links)).toEqual(inOrder(expected));
  });
});

/** The links without their lines: the other program gives the first line of the paragraph. */
function inOrder({ links }: Links): readonly string[] {
  return links
    .map(({ at, ...rest }) => {
      const fields = Object.entries({ ...rest, at: at.replace(/:\d+$/u, "") });
      return JSON.stringify(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)));
    })
    .toSorted();
}
