import {
  type JsonObject,
  objectId,
  type ObjectWrite,
  sealObject,
} from "@self-context-manager/objects";
import { stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

import { writeNotes } from "./notes.ts";
import {
  run,
  storeWithSession,
  temporaryStore,
  type TemporaryStore,
  withStore,
} from "./temporary-store.ts";

function noteWrite(name: string, content: string, fields: JsonObject = {}): ObjectWrite {
  const provenance = { origin: name, generator: "human" } as const;
  const object = sealObject({
    ...fields,
    id: objectId(name),
    type: "note",
    content,
    locked: false,
    provenance,
  });
  return { object };
}

async function storeNote(
  store: TemporaryStore,
  ...note: Parameters<typeof noteWrite>
): Promise<void> {
  await withStore(store, async (open) => void (await open.commit([noteWrite(...note)])));
}

async function storeWithNotes(): Promise<TemporaryStore> {
  const store = await temporaryStore();
  await writeNotes(store.workspace);
  await store.scm("index");
  return store;
}

/** The names of the objects that were found, without lines. */
async function found(
  store: TemporaryStore,
  ...argv: readonly string[]
): Promise<readonly string[]> {
  const { stdout } = await store.scm("find", ...argv, "--json");
  const objects = JSON.parse(stdout) as readonly { readonly path: string | null }[];
  return objects.map(({ path }) => path?.slice(store.workspace.length + 1) ?? "");
}

test("find shows type, size, name and the line with the words", async () => {
  await using store = await storeWithNotes();

  const { code, stdout, stderr } = await store.scm("find", "seeds", "tomatoes");

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toBe(
    "TYPE  SIZE  NAME:LINE  TEXT\n" +
      "file    72  projects/garden.md:3  Back to [[../index]] and the [[grand plan]]. Seeds: tomatoes.\n",
  );
});

test("find says that its answer is not complete if versions cannot be read", async () => {
  await using store = await temporaryStore();
  await storeNote(store, "long note", `the only whimbrel\n${"words ".repeat(400)}`);
  const database = new DatabaseSync(store.at);
  database.exec("UPDATE chunks SET text = 'another text'");
  database.close();

  const { code, stdout, stderr } = await store.scm("find", "whimbrel");

  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(
    /the answer is not complete: 1 version could not be read \(version 1 of object long note\); see scm doctor/u,
  );
});

test("names and texts are found in any composition of their letters", async () => {
  await using store = await temporaryStore();
  await writeNotes(store.workspace, {
    ["보고서/분기 실적.md".normalize("NFD")]: "매출은 Überschuss\n".normalize("NFD"),
  });
  await store.scm("index");
  const plain = (text: string): string => text.normalize("NFC");

  for (const form of ["NFC", "NFD"]) {
    const of = (text: string): string => text.normalize(form);
    for (const argv of [
      ["überschuss"],
      ["실적"],
      ["--literal", "Überschuss"],
      ["--path", "보고서/분", "매출은"],
    ])
      expect([argv, (await found(store, ...argv.map(of))).map(plain)]).toEqual([
        argv,
        ["보고서/분기 실적.md"],
      ]);
    for (const name of ["보고서/분기 실적.md", "분기 실적.md"])
      expect((await store.scm("show", of(name))).stdout.normalize("NFC")).toContain(
        "보고서/분기 실적.md",
      );
  }

  await store.scm("nickname", "분기 실적.md", "실적".normalize("NFD"));

  expect((await store.scm("show", "실적")).code).toBe(0);
  expect((await store.scm("show", "실적".normalize("NFD"))).code).toBe(0);
});

test("find combines words with type, path, tag and relation", async () => {
  await using store = await storeWithNotes();

  expect((await found(store, "log")).toSorted()).toEqual([
    "a/Log.md",
    "b/Log.md",
    "ideas/Big idea.md",
  ]);
  expect(await found(store, "log", "--path", "B/")).toEqual(["b/Log.md"]);
  expect(await found(store, "log", "--tag", "#area")).toEqual(["ideas/Big idea.md"]);
  expect(await found(store, "log", "--type", "note")).toHaveLength(3);
  expect(await found(store, "log", "--type", "toolcall")).toEqual([]);
  expect(await found(store, "--relation", "Part_of garden")).toEqual(["index.md"]);
  expect(await found(store, "--relation", "part_of")).toEqual(["index.md"]);
  expect(await found(store, "--relation", "part_of:garden")).toEqual(["index.md"]);
  expect(await found(store, "--relation", "part_of:grand plan")).toEqual([]);
  expect((await found(store, "--tag", "area/home")).toSorted()).toEqual([
    "ideas/Big idea.md",
    "index.md",
  ]);
});

test("a list without words has the first line after the front matter", async () => {
  await using store = await storeWithNotes();

  const { stdout } = await store.scm("find", "--path", "index");
  const tagged = await store.scm("find", "--tag", "start");

  expect(tagged.stdout).toMatch(/index\.md:\d+ {2}.*start/u);
  expect(stdout).toMatch(/^file +\d+ {2}index\.md:5 {2}# Start$/mu);
});

test("find finds words that only an earlier version had, and names the version", async () => {
  await using store = await storeWithNotes();
  await writeFile(join(store.workspace, "projects", "garden.md"), "Nothing grows.\n");
  await store.scm("index");

  await writeFile(join(store.workspace, "a", "Log.md"), "The first log, longer.\n");
  await store.scm("index");

  const former = await store.scm("find", "tomatoes");
  const both = await store.scm("find", "first", "log");

  expect(former.stdout).toContain("projects/garden.md@1:3  Back to");
  expect(both.stdout).toContain("a/Log.md:1  The first log, longer.");
});

test("find --session finds only what the session knows", async () => {
  await using store = await storeWithSession();
  await writeNotes(store.workspace, { "notes/other.md": "one other\n" });
  await store.scm("index");

  expect((await found(store, "one")).toSorted()).toEqual(["a.txt", "notes/other.md"]);
  expect(await found(store, "one", "--session", "s1")).toEqual(["a.txt"]);
});

test("find keeps its index beside the store, and --limit reports that there is more", async () => {
  await using store = await storeWithNotes();

  const { stderr } = await store.scm("find", "log", "--limit", "1");

  expect(stderr).toBe("3 objects were found; 1 is shown, and --limit shows more.\n");
  const facts = await stat(join(dirname(store.at), "store.sqlite.search"));
  expect(facts.size).toBeGreaterThan(0);
});

test("find reports that nothing was found, and which tags there are", async () => {
  await using store = await storeWithNotes();

  const words = await store.scm("find", "zebra");
  const tag = await store.scm("find", "--tag", "zebra");
  const nothing = await store.scm("find");

  expect(words).toEqual({ code: 0, stdout: "", stderr: "Nothing was found.\n" });
  expect(tag.stderr).toMatch(
    /^No note has the tag zebra; the most used tags are area, area\/home,/u,
  );
  expect(nothing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("give words, or one of"),
  });
});

test("find --regex prints the lines until its time is over, and exits 2", async () => {
  await using store = await temporaryStore();
  await storeNote(store, "older", `${"a".repeat(40)}!`);
  await storeNote(store, "newer", "the needle");

  const { code, stdout, stderr } = await store.scm("find", "--regex", "needle|^(a+)+b");

  expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringContaining("the needle\n") });
  expect(stderr).toBe(
    "scm find: the answer is not complete: the time for the scan is over (1 line until then); use --type or a simpler pattern\n",
  );
});

test("find --literal checks the other conditions before it reads a text", async () => {
  await using store = await temporaryStore();
  await storeNote(store, "other", "x\n");
  await storeNote(store, "lines", "x\n".repeat(2_001), { path: "/lines.md" });

  const elsewhere = await store.scm("find", "--literal", "x", "--path", "nowhere");
  const few = await store.scm("find", "--literal", "x", "--path", "lines", "--limit", "1");

  expect(elsewhere).toEqual({ code: 0, stdout: "", stderr: "Nothing was found.\n" });
  expect(few.stdout).toContain("/lines.md:1  x");
  expect(few.stderr).toBe("More than 1 line were found; 1 is shown, and --limit shows more.\n");
});

test("find lists the object that changed last first, and ends with the last one that is shown", async () => {
  await using store = await temporaryStore();
  for (const name of ["a", "b", "c"]) await storeNote(store, name, name);
  await storeNote(store, "a", "changed");

  const { stdout, stderr } = await store.scm("find", "--type", "note", "--limit", "2");

  expect(stdout).toBe(
    "TYPE  SIZE  NAME:LINE  FIRST LINE\nnote     -  a:1  changed\nnote     -  c:1  c\n",
  );
  expect(stderr).toBe("More than 2 objects were found; 2 are shown, and --limit shows more.\n");
});

/** A store with one note whose words are in the index, and more notes than are read before an answer. */
async function storeBehind(): Promise<TemporaryStore> {
  const store = await temporaryStore();
  await storeNote(store, "early", "the first needle");
  await store.scm("index", "--words");
  await withStore(store, async (open) => {
    const notes = Array.from({ length: 2_001 }, (_, index) =>
      noteWrite(`n${index}`, `late ${index}`),
    );
    await open.commit(notes);
  });
  return store;
}

test("find answers from what is read, then reads the rest, and exits 2", async () => {
  await using store = await storeBehind();

  const first = await store.scm("find", "needle");
  const second = await store.scm("find", "2000");

  expect(first.code).toBe(2);
  expect(first.stdout).toContain("the first needle");
  expect(first.stderr).toContain(
    "The answer is from a part of the store: 0 % of the store is read (1 of 2002 versions).",
  );
  expect(first.stderr).toContain("now all of it is read, so run the command again");
  expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining("late 2000") });
});

test("show and links answer at once, and say that notes were not read", async () => {
  await using store = await storeBehind();

  const shown = await store.scm("show", "early");
  const linked = await store.scm("links", "early");
  await store.scm("index", "--words");
  const later = await store.scm("show", "early");

  const message =
    "the links of notes are not complete: 0 % of the store is read (1 of 2002 versions); scm index --words reads the rest\n";
  expect([shown.stderr, linked.stderr, later.stderr]).toEqual([message, message, ""]);
  expect([shown.code, linked.code, later.code]).toEqual([0, 0, 0]);
});

test("find ends to read words when the user interrupts", async () => {
  await using store = await storeBehind();
  const interruption = async (): Promise<void> => {};

  const { code, stderr } = await run(["find", "needle"], { SCM_STORE: store.at }, store.workspace, {
    interruption,
  });

  expect(code).toBe(2);
  expect(stderr).toContain("now 0 % of the store is read (1 of 2002 versions), so run");
});

test("index --words reads the words and links of the store", async () => {
  await using store = await storeBehind();

  const indexed = await store.scm("index", "--words");
  const found = await store.scm("find", "needle");
  const both = await store.scm("index", "--words", ".");

  const all = "100 % of the store is read (2002 of 2002 versions)";
  expect(indexed).toMatchObject({ code: 0, stdout: `links: ${all}\nwords: ${all}\n` });
  expect(found).toMatchObject({ code: 0, stderr: "" });
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("only one of them") });
});

test("find --literal and --regex show each line that fits", async () => {
  await using store = await storeWithNotes();

  const literal = await store.scm("find", "--literal", "[[grand plan]].");
  const regex = await store.scm("find", "--regex", "^Back to .*Seeds: \\w+", "--type", "file");
  const other = await store.scm("find", "--regex", "^Back", "--path", "nowhere");
  const invalid = await store.scm("find", "--regex", "(");
  const both = await store.scm("find", "log", "--literal", "x");

  const row =
    "TYPE  SIZE  NAME:LINE  TEXT\n" +
    "file    72  projects/garden.md:3  Back to [[../index]] and the [[grand plan]]. Seeds: tomatoes.\n";
  expect([literal.stdout, regex.stdout]).toEqual([row, row]);
  expect(other).toMatchObject({ stdout: "", stderr: "Nothing was found.\n" });
  expect(invalid).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("the regular expression ( cannot be read"),
  });
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("only one of them") });
});
