import { openContextManager } from "@self-context-manager/compose";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { writeNotes } from "./notes.ts";
import { temporaryStore, type TemporaryStore, withStore } from "./temporary-store.ts";

interface Listed {
  readonly version: number;
  readonly object: Readonly<Record<string, unknown>>;
}

/** The objects of the store by the ends of their paths; those without a path by their last one. */
async function objectsOf(store: TemporaryStore): Promise<Readonly<Record<string, Listed>>> {
  const { stdout } = await store.scm("list", "--type", "file", "--all", "--json");
  const listed = JSON.parse(stdout) as readonly Listed[];
  return Object.fromEntries(
    listed.map((one) => {
      const path = String(
        one.object["path"] ?? (one.object["provenance"] as Listed["object"])["origin"],
      );
      return [path.slice(store.workspace.length + 1), one];
    }),
  );
}

test("index and note store marks for secrets", async () => {
  await using store = await temporaryStore();
  const token = ["ghp", `${"q7Zr2Kd9".repeat(4)}Wm4x`].join("_");
  await writeFile(join(store.workspace, "a.md"), `# Access\n\nuse ${token}\n`);

  await store.scm("index");
  const shown = await store.scm("print", "a.md");
  const noted = await store.scm("note", "a.md", `with ${token}`);

  expect(shown.stdout).toMatch(/use \[secret: github-token, 40 characters, [0-9a-f]{12}\]/u);
  expect(noted.stdout).toMatch(/has the note "with \[secret: github-token, 40 characters, /u);
  expect(shown.stdout + noted.stdout).not.toContain(token);
});

test("index stores Markdown files, and names the other files to which they link", async () => {
  await using store = await temporaryStore();
  await writeNotes(store.workspace);

  const { code, stdout, stderr } = await store.scm("index");
  const objects = await objectsOf(store);

  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `indexed 6 Markdown files of ${store.workspace}: 5 new, 0 changed; 1 linked file named without content\n`,
  });
  expect(stderr).toBe("not read: secrets.md: its name looks like a secret's\n");
  expect(Object.keys(objects).toSorted()).toEqual([
    "a/Log.md",
    "b/Log.md",
    "ideas/Big idea.md",
    "index.md",
    "picture.png",
    "projects/garden.md",
  ]);
  expect(objects["picture.png"]?.object).toMatchObject({ presence: "unread" });
});

test("an indexed note is the same object, with the same fields, as one that an agent reads", async () => {
  await using indexed = await temporaryStore();
  await writeNotes(indexed.workspace);
  await indexed.scm("index");
  const [before] = [(await objectsOf(indexed))["index.md"]];

  await using manager = await openContextManager(indexed);
  const session = await manager.openSession({ harness: "pi", sessionId: "s1" });
  await session.read({ path: "index.md" });
  const after = (await objectsOf(indexed))["index.md"];
  await indexed.scm("index", "--at", join(indexed.workspace, "other.sqlite"));
  await session.read({ path: "a/Log.md" });
  const read = await manager.store.find({ where: { path: join(indexed.workspace, "a/Log.md") } });

  expect(before).toBeDefined();
  expect(after).toEqual(before);
  expect(Object.keys(read.items[0]?.body ?? {})).toEqual(
    Object.keys(before?.object ?? {}).filter((field) => !/hash/u.test(field)),
  );
});

test("a second index reads only what has changed", async () => {
  await using store = await temporaryStore();
  await writeNotes(store.workspace);
  await store.scm("index");
  const before = await objectsOf(store);

  await rename(join(store.workspace, "a", "Log.md"), join(store.workspace, "Moved.md"));
  await rm(join(store.workspace, "b", "Log.md"));
  await writeFile(join(store.workspace, "index.md"), "Another text.\n");
  await writeFile(join(store.workspace, "new.md"), "New.\n");
  const { stdout } = await store.scm("index", store.workspace);
  const after = await objectsOf(store);
  const again = await store.scm("index");

  expect(stdout).toMatch(/: 1 new, 1 changed, 1 moved, 1 missing\n$/u);
  expect(after["Moved.md"]?.object["id"]).toBe(before["a/Log.md"]?.object["id"]);
  expect(after["b/Log.md"]).toMatchObject({ version: 2, object: { presence: "missing" } });
  expect(after["index.md"]).toMatchObject({ version: 2, object: { char_count: 14 } });
  expect(after["projects/garden.md"]).toEqual(before["projects/garden.md"]);
  expect(again.stdout).toMatch(/: 0 new, 0 changed\n$/u);
});

test("a note that is there again is the same object", async () => {
  await using store = await temporaryStore();
  await writeNotes(store.workspace, { "a.md": "One.\n", "b.md": "Two.\n" });
  await store.scm("index");
  const before = await objectsOf(store);
  await rm(join(store.workspace, "a.md"));
  await store.scm("index");

  await writeFile(join(store.workspace, "a.md"), "One again.\n");
  const { stdout } = await store.scm("index");
  const after = await objectsOf(store);

  expect(stdout).toMatch(/: 0 new, 1 changed\n$/u);
  expect(after["a.md"]).toMatchObject({
    version: 3,
    object: { id: before["a.md"]?.object["id"], char_count: 11 },
  });
});

test("more notes than fit into one transaction are stored in several", async () => {
  await using store = await temporaryStore();
  const names = Array.from({ length: 450 }, (_, number) => `note ${number}.md`);
  await writeNotes(store.workspace, Object.fromEntries(names.map((name) => [name, `# ${name}\n`])));

  const { stdout } = await store.scm("index");
  const sizes = await withStore(store, async (open) => {
    const { versions } = await open.changesSince();
    return [...Map.groupBy(versions, ({ at }) => at.tx_id).values()].map(({ length }) => length);
  });

  expect(stdout).toContain("450 new");
  expect(sizes).toEqual([200, 200, 50]);
});

test("a folder that is not there, and one without notes, are named", async () => {
  await using store = await temporaryStore();

  const missing = await store.scm("index", "nowhere");
  const empty = await store.scm("index");

  expect(missing).toMatchObject({
    code: 1,
    stderr: `scm index: there is no folder ${join(store.workspace, "nowhere")}; name an existing one\n`,
  });
  expect(empty.stderr).toBe(`${store.workspace} has no Markdown files (.md, .mdx).\n`);
});
