import { openContextManager } from "@self-context-manager/compose";
import { objectId, sealObject } from "@self-context-manager/objects";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";

import {
  idOf,
  run,
  storeWithSession,
  temporaryStore,
  texts,
  withStore,
} from "./temporary-store.ts";

test("nickname gives, replaces and removes a nickname, each as a version", async () => {
  await using store = await storeWithSession();

  await store.scm("nickname", "a.txt", "one");
  await store.scm("nickname", "one", "two");
  const named = await store.scm("print", "two", "--field", "nickname");
  const removed = await store.scm("nickname", "two", "--remove");

  expect(named.stdout).toBe("two");
  expect(removed.stdout).toMatch(/^object [\da-f-]{36} no longer has a nickname\n$/u);
  expect((await store.scm("show", "two")).code).toBe(1);
  expect((await store.scm("show", "a.txt")).stdout).toContain("version             5 of 5\n");
});

test("share lets all workspaces find an object, and --remove ends it; a record is refused", async () => {
  await using store = await storeWithSession();

  const shared = await store.scm("share", "a.txt");
  const field = await store.scm("print", "a.txt", "--field", "shared");
  const ended = await store.scm("share", "a.txt", "--remove");
  const after = await store.scm("print", "a.txt", "--field", "shared");
  const refused = await store.scm("share", "s1");

  expect(shared.stdout).toMatch(/^object [\da-f-]{36} is shared with all workspaces\n$/u);
  expect(field.stdout).toBe("true");
  expect(ended.stdout).toMatch(/^object [\da-f-]{36} is not shared\n$/u);
  expect(after.code).toBe(1);
  expect(refused.stderr).toContain("a session is a record of one session, and cannot be shared");
});

test("the error about a taken nickname names its object and suggests what to do", async () => {
  await using store = await storeWithSession();
  await store.scm("nickname", "a.txt", "one");

  const { code, stderr } = await store.scm("nickname", "c.bin", "one");

  expect(code).toBe(1);
  expect(stderr).toMatch(
    /cannot have the nickname one: object [\da-f-]{36} has it; choose another/u,
  );
  expect(stderr).toContain("scm nickname one --remove");
});

test("an object's id as a nickname is refused without the advice to remove it", async () => {
  await using store = await storeWithSession();
  const id = await idOf(store, "a.txt");

  const { code, stderr } = await store.scm("nickname", "c.bin", id);

  expect(code).toBe(1);
  expect(stderr).toMatch(/it is the id of an object; choose another nickname\n$/u);
});

test("a session gets no nickname, because its next version would remove it", async () => {
  await using store = await storeWithSession();

  const { code, stderr } = await store.scm("nickname", "s1", "work");

  expect(code).toBe(1);
  expect(stderr).toContain("a session cannot have a nickname");
});

test("a view gets no nickname, because its next version would remove it", async () => {
  await using store = await storeWithSession();
  const id = await withStore(store, async (open) => {
    const view = { provenance: { origin: "s1", generator: "system" as const }, content: null };
    const body = { ...view, id: objectId("view-1"), type: "view", locked: true };
    await open.commit([{ object: sealObject(body) }]);
    return body.id;
  });

  const { code, stderr } = await store.scm("nickname", id, "last");

  expect(code).toBe(1);
  expect(stderr).toContain("a view cannot have a nickname");
});

test("note writes, shows, finds and removes a note, each change as a version", async () => {
  await using store = await storeWithSession();

  const written = await store.scm("note", "a.txt", "about", "the zebra");
  const field = await store.scm("print", "a.txt", "--field", "short_summary");
  const shown = await store.scm("show", "a.txt");
  const found = await store.scm("find", "zebra");
  const json = await store.scm("find", "zebra", "--json");
  const removed = await store.scm("note", "a.txt", "--remove");

  expect(written.stdout).toMatch(/^object [\da-f-]{36} has the note "about the zebra"\n$/u);
  expect(field.stdout).toBe("about the zebra");
  expect(shown.stdout).toMatch(/^short_summary +about the zebra$/mu);
  expect(shown.stdout).toMatch(/^summary_provenance +\{"by":"user","version":2\}$/mu);
  expect(found.stdout).toMatch(/^file +\d+ +\S*a\.txt  about the zebra$/mu);
  expect(JSON.parse(json.stdout)).toMatchObject([{ short_summary: "about the zebra" }]);
  expect(removed.stdout).toMatch(/^object [\da-f-]{36} has no note\n$/u);
  const after = (await store.scm("show", "a.txt")).stdout;
  expect(after).toContain("version             4 of 4\n");
  expect(after).not.toContain("summary");
});

test("a session gets no note, and a long note is refused with the limit", async () => {
  await using store = await storeWithSession();

  const session = await store.scm("note", "s1", "work");
  const long = await store.scm("note", "a.txt", "word ".repeat(100));

  expect(session).toMatchObject({ code: 1, stderr: expect.stringContaining("a session is a") });
  expect(long).toMatchObject({ code: 1, stderr: expect.stringContaining("at most 60 tokens") });
});

test("a system prompt gets a nickname, which its next versions keep", async () => {
  await using store = await storeWithSession();
  const id = await withStore(store, async (open) => {
    const { items } = await open.find({ where: { type: "system_prompt" } });
    return items[0]?.body.id ?? "";
  });

  const { code } = await store.scm("nickname", id, "instruction");
  const { workspace, at } = store;
  {
    await using manager = await openContextManager({ at, workspace });
    const session = await manager.openSession({ harness: "pi", sessionId: "s1" });
    await session.recordSystemPrompt("own", "Be very brief.");
  }

  expect(code).toBe(0);
  expect((await store.scm("print", "instruction")).stdout).toBe("Be very brief.");
});

test("export and import move a store, byte for byte", async () => {
  await using store = await storeWithSession();
  await using target = await temporaryStore();
  const file = join(target.workspace, "all.jsonl");

  const exported = await store.scm("export", file);
  const first = await target.scm("import", file);
  const second = await target.scm("import", file);

  const text = await readFile(file, "utf8");
  const lines = text.trimEnd().split("\n").slice(1);
  const versions = lines.length;
  const objects = new Set(lines.map((line) => objectIn(JSON.parse(line) as Line))).size;
  expect(exported).toEqual({
    code: 0,
    stdout: "",
    stderr: `exported ${versions} versions to ${file}\n`,
  });
  expect(first.stdout).toBe(
    `imported ${versions} versions into ${target.at}; 0 were already in the store; ${objects} objects in total\n`,
  );
  expect(second.stdout).toBe(
    `imported 0 versions into ${target.at}; ${versions} were already in the store; ${objects} objects in total\n`,
  );
  expect((await target.scm("export")).stdout).toBe(text);
});

/** A line with a whole version, or with the change of one. */
type Line = { readonly object: { readonly id: string } } | { readonly id: string };

function objectIn(line: Line): string {
  return "object" in line ? line.object.id : line.id;
}

test("export --since writes what came after a transaction, for a store that has the earlier versions", async () => {
  await using store = await storeWithSession();
  await using target = await temporaryStore();
  const earlier = join(target.workspace, "earlier.jsonl");
  const later = join(target.workspace, "later.jsonl");
  await store.scm("export", earlier);
  const last = (await readFile(earlier, "utf8")).trimEnd().split("\n").at(-1) ?? "";
  const { tx_id: txId } = JSON.parse(last) as { readonly tx_id: number };
  await store.scm("nickname", "a.txt", "notes");

  const exported = await store.scm("export", later, "--since", String(txId));
  const alone = await target.scm("import", later);
  await target.scm("import", earlier);
  const unasked = await target.scm("import", later);
  const both = await target.scm("import", later, "--merge");
  const wrong = await store.scm("export", "--since", "yesterday");

  expect(exported.stderr).toBe(`exported 1 version to ${later}\n`);
  expect(alone.code).toBe(1);
  expect(alone.stderr).toContain(`the export begins after transaction ${txId}`);
  expect(unasked.stderr).toContain("import the file with --merge");
  expect(both).toMatchObject({ code: 0, stderr: "" });
  expect((await target.scm("export")).stdout).toBe((await store.scm("export")).stdout);
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
});

test("export of a damaged store names the lost versions, writes the others and fails", async () => {
  await using store = await storeWithSession();
  await using target = await temporaryStore();
  const file = join(target.workspace, "all.jsonl");
  const id = await idOf(store, "a.txt");
  const database = new DatabaseSync(store.at);
  const ofObject = `object = (SELECT key FROM objects WHERE id = '${id}')`;
  database.exec(`UPDATE versions SET object_hash = zeroblob(32) WHERE version = 1 AND ${ofObject}`);
  database.close();

  const exported = await store.scm("export", file);
  const imported = await target.scm("import", file, "--verify");

  expect(exported.code).toBe(1);
  expect(exported.stderr).toMatch(
    new RegExp(
      `exported \\d+ versions to .*\nversion 1 of object ${id} is missing or cannot be read\n` +
        "scm export: 1 version could not be exported \\(listed above\\); .* Run scm doctor",
      "u",
    ),
  );
  expect(await readFile(file, "utf8")).toContain(`{"id":"${id}","lost":true,"version":1}`);
  expect(imported.code).toBe(0);
  expect(imported.stderr).toBe(`version 1 of object ${id} was lost before the export\n`);
  expect((await target.scm("print", "a.txt@2")).stdout).toBe(texts.second);
});

test("export names a damaged latest version too, and its file says that it is lost", async () => {
  await using store = await storeWithSession();
  await using target = await temporaryStore();
  const file = join(target.workspace, "all.jsonl");
  const id = await idOf(store, "a.txt");
  const database = new DatabaseSync(store.at);
  database.exec(
    `UPDATE versions SET tx_time = tx_time + 1 WHERE object = (SELECT key FROM objects WHERE id = '${id}') AND version = 2`,
  );
  database.close();

  const { code, stderr } = await store.scm("export", file);

  expect(code).toBe(1);
  expect(stderr).toContain(`version 2 of object ${id} is missing or cannot be read`);
  expect(await readFile(file, "utf8")).toContain(`{"id":"${id}","lost":true,"version":2}`);
});

test("import --verify reads back what it imported, and reports a store that has other data", async () => {
  await using store = await storeWithSession();
  await using target = await temporaryStore();
  const file = join(target.workspace, "all.jsonl");
  await store.scm("export", file);

  const sound = await target.scm("import", file, "--verify");
  const again = await target.scm("import", file, "--verify");
  const database = new DatabaseSync(target.at);
  database.exec("UPDATE versions SET metadata_view_hash = zeroblob(32) WHERE seq = 1");
  database.close();
  const damaged = await target.scm("import", file, "--verify");

  expect(sound.stdout).toMatch(
    /^imported \d+ versions into \S+; 0 were .*\nverified \d+ versions of \d+ objects: all hashes match\n$/u,
  );
  expect(again.stdout).toMatch(/^imported 0 versions into \S+; .*\nverified \d+ versions/u);
  expect(damaged.code).toBe(1);
  expect(damaged.stderr).toMatch(
    /^scm import: the store \S+ is damaged: version 1 of object \S+ is not as it was stored/u,
  );
});

test("import refuses versions for objects of the store without --merge, and names the objects", async () => {
  await using store = await storeWithSession();
  await using target = await temporaryStore();
  const file = join(store.workspace, "all.jsonl");
  const scm = async (...argv: readonly string[]) =>
    await run(argv, { SCM_STORE: target.at }, store.workspace);
  await store.scm("export", file);
  await scm("import", file);
  await store.scm("nickname", "a.txt", "one");
  await store.scm("nickname", "c.bin", "two");
  const before = (await scm("export")).stdout;
  await store.scm("export", file, "--force");
  const after = await readFile(file, "utf8");

  const refused = await scm("import", file);
  const unchanged = (await scm("export")).stdout;
  const merged = await scm("import", file, "--merge");
  const again = await scm("import", file);

  expect(refused).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "scm import: the file adds 2 versions to 2 objects that the store already has: a.txt, c.bin. " +
      "Nothing was imported. If you want this, import the file with --merge; an interrupted import is completed in the same way\n",
  });
  expect(unchanged).toBe(before);
  expect(merged.stdout).toMatch(/^imported 2 versions into /u);
  expect(again.stdout).toMatch(/^imported 0 versions into /u);
  expect((await scm("export")).stdout).toBe(after);
});

test("import keeps standard input in a file without a name, and can verify it", async () => {
  await using store = await storeWithSession();
  await using target = await temporaryStore();
  const text = (await store.scm("export")).stdout;
  const folder = join(target.workspace, "temporary");
  await mkdir(folder);
  const seen: string[] = [];
  async function* stdin(): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < text.length; start += 500) {
      yield Buffer.from(text.slice(start, start + 500));
      seen.push(...(await readdir(folder)));
    }
  }
  vi.stubEnv("TMPDIR", folder);

  const imported = await run(
    ["import", "-", "--verify"],
    { SCM_STORE: target.at },
    target.workspace,
    { stdin: stdin() },
  );

  vi.unstubAllEnvs();
  expect(imported.stdout).toMatch(/^imported \d+ versions .*\nverified \d+ versions of /u);
  expect((await target.scm("export")).stdout).toBe(text);
  expect([...seen, ...(await readdir(folder))]).toEqual([]);
});

test("messages about one version are in the singular", async () => {
  await using store = await storeWithSession();
  await using target = await temporaryStore();
  const [head = "", first = ""] = (await store.scm("export")).stdout.split("\n");
  const file = join(target.workspace, "one.jsonl");
  await writeFile(file, `${head.replace(/"versions":\d+/u, '"versions":1')}\n${first}\n`);

  const imported = await target.scm("import", file);
  const exported = await target.scm("export", file, "--force");

  expect(imported.stdout).toBe(
    `imported 1 version into ${target.at}; 0 were already in the store; 1 object in total\n`,
  );
  expect(exported.stderr).toBe(`exported 1 version to ${file}\n`);
});

test("export overwrites a file only with --force, and leaves no partial file", async () => {
  await using store = await storeWithSession();
  const file = join(store.workspace, "all.jsonl");
  await writeFile(file, "precious");

  const refused = await store.scm("export", "all.jsonl");
  const impossible = await store.scm("export", "none/all.jsonl");
  const folder = await store.scm("export", ".", "--force");
  const kept = await readFile(file, "utf8");
  const forced = await store.scm("export", "all.jsonl", "--force");

  expect(refused.stderr).toContain(
    `${file} exists already; choose another name, or overwrite it with --force`,
  );
  expect(impossible.stderr).toContain(
    `${join(store.workspace, "none", "all.jsonl")} cannot be written`,
  );
  expect(folder.stderr).toContain(`${store.workspace} cannot be written`);
  expect([refused, impossible, folder, forced].map(({ code }) => code)).toEqual([1, 1, 1, 0]);
  expect(kept).toBe("precious");
  const names = [...(await readdir(store.workspace)), ...(await readdir(dirname(store.at)))];
  expect(names.filter((name) => name.includes("partial"))).toEqual([]);
});

test("an import error names the line, and a file that is not an export creates no store", async () => {
  await using store = await temporaryStore();
  const file = join(store.workspace, "all.jsonl");

  const missing = await store.scm("import", "all.jsonl");
  const made = await readdir(dirname(store.at));
  await writeFile(file, "not an export\n");
  const foreign = await store.scm("import", "all.jsonl");
  const madeOfForeign = await readdir(dirname(store.at));
  await writeFile(file, Buffer.from([0xff, 0xfe, 0x0a]));
  const bytes = await store.scm("import", "all.jsonl", "--store", "memory");

  expect(missing.stderr).toContain(`${file} cannot be read`);
  expect(made).toEqual(["work"]);
  expect(foreign.stderr).toContain("line 1 is not the header of an export; give a file");
  expect(madeOfForeign).toEqual(["work"]);
  expect(bytes.stderr).toContain("near line 1 there are bytes that are not UTF-8");
  expect([missing.code, foreign.code, bytes.code]).toEqual([1, 1, 1]);
});
