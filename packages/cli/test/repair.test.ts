import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

import { damages, linesOf, storeWithChanges } from "./damaged-copies.ts";
import {
  idOf,
  storeWithSession,
  type TemporaryStore,
  texts,
  withStore,
} from "./temporary-store.ts";

/** Fills a part of the store's file with zeros. */
async function damage({ at }: TemporaryStore, from: number, to: number): Promise<Buffer> {
  const bytes = (await readFile(at)).fill(0, from * 1024, to * 1024);
  await writeFile(at, bytes);
  return bytes;
}

test.each([
  ["the beginning of the file", 0, 3],
  ["pages in the middle", 40, 52],
])("a repair keeps what is sound without %s, and names the rest", async (_name, from, to) => {
  await using store = await storeWithChanges();
  const before = await linesOf((await store.scm("export")).stdout);
  const bytes = await damage(store, from, to);

  const repaired = await store.scm("doctor", "--repair", "--json");
  const after = await linesOf((await store.scm("export")).stdout);
  const doctor = await store.scm("doctor");

  expect(repaired).toMatchObject({ code: 0, stderr: "" });
  const report = JSON.parse(repaired.stdout) as Record<string, unknown>;
  expect(report["versions"]).toBe(after.size);
  expect(after.size).toBeGreaterThan(before.size / 3);
  for (const [name, line] of after) expect(line).toBe(before.get(name));
  expect(doctor.stdout).not.toContain("DAMAGED");
  expect(doctor.code).toBe(0);
  expect(await readFile(String(report["moved_to"]))).toEqual(bytes);
});

test.each(["backup", "export"])(
  "with the %s of the whole store nothing is lost",
  async (command) => {
    await using store = await storeWithChanges();
    const before = (await store.scm("export")).stdout;
    await store.scm(command, "whole");
    await damage(store, 40, 52);

    const repaired = await store.scm("doctor", "--repair", "--from", "whole");

    expect(repaired.code).toBe(0);
    expect(repaired.stdout).toMatch(/has \d+ versions, [1-9]\d* of them from .*whole\n$/u);
    expect((await store.scm("export")).stdout).toBe(before);
    expect((await store.scm("doctor")).stdout).not.toContain("DAMAGED");
  },
);

test("with an older backup the repaired store has its versions and the newer sound ones", async () => {
  await using store = await storeWithChanges();
  await store.scm("backup", "old.gz");
  const old = await linesOf((await store.scm("export")).stdout);
  await store.scm("nickname", "f1.md", "later");
  const before = await linesOf((await store.scm("export")).stdout);
  await damage(store, 30, 40);

  const { code } = await store.scm("doctor", "--repair", "--from", "old.gz");

  const after = await linesOf((await store.scm("export")).stdout);
  expect(code).toBe(0);
  for (const [name, line] of old) expect(after.get(name)).toBe(line);
  for (const [name, line] of after) expect(before.get(name)).toBe(line);
});

test("a version of a backup whose number the store gave to another one is named, and not left out without a word", async () => {
  await using store = await storeWithSession();
  await store.scm("backup", "old.gz");
  const id = await idOf(store, "a.txt");
  const database = new DatabaseSync(store.at);
  const ofObject = `object = (SELECT key FROM objects WHERE id = '${id}')`;
  database.exec(`UPDATE versions SET object_hash = zeroblob(32) WHERE version = 2 AND ${ofObject}`);
  database.close();
  const first = await store.scm("doctor", "--repair");
  await store.scm("note", id, "after the repair");

  const { code, stdout } = await store.scm("doctor", "--repair", "--from", "old.gz", "--json");

  const { lost, lost_file: path } = JSON.parse(stdout) as {
    readonly lost: number;
    readonly lost_file: string;
  };
  expect(first.stderr).toContain("1 version could not be saved");
  expect({ code, lost }).toEqual({ code: 0, lost: 1 });
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({
    id,
    version: 2,
    reason: "the store has another version with this number",
    object: { content: texts.second },
  });
  expect((await store.scm("doctor")).stdout).toContain("a repair could not save 1 version");
});

test("versions that cannot be saved are in a file with their object and the reason", async () => {
  await using store = await storeWithChanges();
  const before = await linesOf((await store.scm("export")).stdout);
  await damage(store, 40, 52);

  const { stdout } = await store.scm("doctor", "--repair", "--json");

  const { lost, lost_file: path } = JSON.parse(stdout) as {
    readonly lost: number;
    readonly lost_file: string;
  };
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  expect(lines).toHaveLength(lost);
  const after = await linesOf((await store.scm("export")).stdout);
  for (const line of lines) {
    const { id, version, reason } = JSON.parse(line) as Record<string, string>;
    expect(before.has(`${id}@${version}`)).toBe(true);
    expect(after.has(`${id}@${version}`)).toBe(false);
    expect(reason).not.toBe("");
  }
});

test("a store of which nothing can be read stays unchanged", async () => {
  await using store = await storeWithChanges();
  await writeFile(store.at, "x".repeat(5_000));

  const { code, stderr } = await store.scm("doctor", "--repair");

  expect(code).toBe(1);
  expect(stderr).toContain("nothing of the store");
  expect(await readFile(store.at, "utf8")).toBe("x".repeat(5_000));
  expect((await readdir(dirname(store.at))).filter((name) => name.includes("partial"))).toEqual([]);
});

test("a store that is open is not repaired", async () => {
  await using store = await storeWithChanges();

  const { code, stderr } = await withStore(
    store,
    async () => await store.scm("doctor", "--repair"),
  );

  expect({ code, stderr }).toMatchObject({ code: 1 });
  expect(stderr).toContain("is in use");
});

test("a copy without its log becomes a store of what the copy has", async () => {
  await using store = await storeWithChanges();
  const at = `${store.at}.copy`;
  await store.scm("note", "f1.md", "a line");
  await withStore(store, async () => await copyFile(store.at, at));

  const repaired = await store.scm("doctor", "--repair", "--at", at);

  expect(repaired.code).toBe(0);
  expect((await store.scm("export", "--at", at)).stdout).toBe((await store.scm("export")).stdout);
});

test("the log of a killed process is read too", async () => {
  await using store = await storeWithChanges();
  const at = `${store.at}.killed`;
  await withStore(store, async (open) => {
    const { items } = await open.find({ where: { type: "file" }, limit: 1 });
    const stored = await open.get(items[0]?.body.id ?? ("" as never));
    expect(stored).toBeDefined();
    await store.scm("note", "f1.md", "a line");
    for (const end of ["", "-wal"]) await copyFile(store.at + end, at + end);
  });

  await store.scm("doctor", "--repair", "--at", at);

  expect((await store.scm("export", "--at", at)).stdout).toBe((await store.scm("export")).stdout);
});

test("--from needs --repair, and a file that can be read", async () => {
  await using store = await storeWithChanges();
  await writeFile(`${store.workspace}/text`, "some text");

  const alone = await store.scm("doctor", "--from", "text");
  const unreadable = await store.scm("doctor", "--repair", "--from", "text");

  expect(alone.code).toBe(2);
  expect(unreadable.code).toBe(1);
  expect(unreadable.stderr).toContain("give a file that scm backup or scm export wrote");
});

test.each(Object.keys(damages))("is never wrong after %s", { timeout: 60_000 }, async (name) => {
  await using store = await storeWithChanges();
  const before = await linesOf((await store.scm("export")).stdout);
  const bytes = await readFile(store.at);
  let seed = 7;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;

  for (let round = 0; round < 4; round += 1) {
    const at = `${store.at}.${round}`;
    await writeFile(at, damages[name]?.(Buffer.from(bytes), random) ?? bytes);
    const { code, stderr } = await store.scm("doctor", "--repair", "--at", at);
    const isRefused = stderr.includes("nothing of the store");
    expect(code).toBe(isRefused ? 1 : 0);
    if (isRefused) continue;
    for (const [version, line] of await linesOf((await store.scm("export", "--at", at)).stdout))
      expect(line).toBe(before.get(version));
  }
});
