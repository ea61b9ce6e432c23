import { objectId } from "@self-context-manager/objects";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";

import { run, storeWithSession, type TemporaryStore, withStore } from "./temporary-store.ts";

test("a backup restores every version at another place, and only its user can read it", async () => {
  await using store = await storeWithSession();
  const file = join(store.workspace, "day.gz");
  const copy = join(store.workspace, "copy.sqlite");

  const backedUp = await store.scm("backup", "day.gz");
  const restored = await store.scm("restore", "day.gz", "--at", copy);

  expect(backedUp).toMatchObject({ code: 0, stderr: "" });
  expect(backedUp.stdout).toMatch(/^backed up \d+ versions of \d+ objects to .*day\.gz \(\S+B\)/u);
  expect(restored).toMatchObject({ code: 0, stderr: "" });
  expect((await store.scm("export", "--at", copy)).stdout).toBe((await store.scm("export")).stdout);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(copy)).mode & 0o777).toBe(0o600);
  expect((await readdir(store.workspace)).filter((name) => name.includes("partial"))).toEqual([]);
});

test("an uncompressed backup is restored too", async () => {
  await using store = await storeWithSession();
  await store.scm("backup", "day.gz");
  const plain = join(store.workspace, "day.sqlite");
  await writeFile(plain, gunzipSync(await readFile(join(store.workspace, "day.gz"))));

  const { code } = await store.scm("restore", plain, "--at", join(store.workspace, "copy.sqlite"));

  expect(code).toBe(0);
});

test("a backup has all that was committed before it, while another process writes", async () => {
  await using store = await storeWithSession();
  const child = spawn(
    process.execPath,
    [
      "--conditions=@self-context-manager/source",
      fileURLToPath(new URL("./busy-writer.ts", import.meta.url)),
      store.at,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  try {
    let acknowledged = 0;
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => (acknowledged = Number(line)));
    await once(lines, "line");
    for (const name of ["one.gz", "two.gz", "three.gz"]) {
      const before = acknowledged;
      const { code, stderr } = await store.scm("backup", name);
      const at = join(store.workspace, `${name}.sqlite`);
      await store.scm("restore", name, "--at", at);

      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      await withStore({ ...store, at }, async (restored) => {
        const pair = await restored.getMany([objectId("left"), objectId("right")]);
        expect(pair[0]?.version).toBeGreaterThanOrEqual(before);
        expect(pair[0]?.version).toBe(pair[1]?.version);
      });
    }
    expect(acknowledged).toBeGreaterThan(1);
  } finally {
    child.kill("SIGKILL");
  }
});

test("--keep removes older backups of this store, and no other file", async () => {
  await using store = await storeWithSession();
  await using other = await storeWithSession();
  const folder = join(store.workspace, "kept");
  await mkdir(folder);
  await writeFile(join(folder, "store.sqlite.note"), "mine");
  await other.scm("backup", folder);
  const [ofOther] = (await readdir(folder)).filter((name) => name.endsWith(".gz"));

  for (let round = 0; round < 3; round += 1) await store.scm("backup", "kept", "--keep", "2");
  const report = JSON.parse(
    (await store.scm("backup", "kept", "--keep", "2", "--json")).stdout,
  ) as Record<string, unknown>;

  const names = await readdir(folder);
  expect(names).toHaveLength(4);
  expect(names).toContain("store.sqlite.note");
  expect(names).toContain(ofOther);
  expect(report).toMatchObject({ store: "sqlite", removed: [expect.stringContaining(folder)] });
});

test("without an argument the backup is in a folder beside the store", async () => {
  await using store = await storeWithSession();

  await store.scm("backup");

  const [name = ""] = await readdir(join(dirname(store.at), "backups"));
  expect(name).toMatch(/^store\.sqlite\.[\da-f]{8}\.\d{8}T\d{9}Z\.backup\.gz$/u);
});

test("--keep makes the folder that it names", async () => {
  await using store = await storeWithSession();

  const { code, stderr } = await store.scm("backup", "nightly", "--keep", "2");

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(await readdir(join(store.workspace, "nightly"))).toHaveLength(1);
});

test("a backup never replaces a file, and --keep needs a folder", async () => {
  await using store = await storeWithSession();
  await writeFile(join(store.workspace, "day.gz"), "mine");

  const existing = await store.scm("backup", "day.gz");
  const kept = await store.scm("backup", "new.gz", "--keep", "2");

  expect(existing).toMatchObject({ code: 1 });
  expect(existing.stderr).toContain("exists already");
  expect(kept).toMatchObject({ code: 2 });
  expect(await readFile(join(store.workspace, "day.gz"), "utf8")).toBe("mine");
});

test("a file that cannot be written is named", async () => {
  await using store = await storeWithSession();

  const { code, stderr } = await store.scm("backup", "a.txt/day.gz");

  expect(code).toBe(1);
  expect(stderr).toContain("day.gz cannot be written");
});

test("a store at the place is replaced only with --force, which moves it aside", async () => {
  await using store = await storeWithSession();
  await store.scm("backup", "day.gz");
  await store.scm("nickname", "a.txt", "later");
  const before = await readFile(store.at);

  const refused = await store.scm("restore", "day.gz");
  const forced = await store.scm("restore", "day.gz", "--force");

  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain("exists already; give another place with --at");
  expect(forced.code).toBe(0);
  const former = /the former store is (\S+)/u.exec(forced.stderr)?.[1] ?? "";
  expect(await readFile(former)).toEqual(before);
  expect((await store.scm("show", "later")).code).toBe(1);
  expect((await store.scm("show", "later", "--at", former)).code).toBe(0);
});

test("a store that is open is not replaced", async () => {
  await using store = await storeWithSession();
  await store.scm("backup", "day.gz");

  const { code, stderr } = await withStore(
    store,
    async () => await store.scm("restore", "day.gz", "--force"),
  );

  expect(code).toBe(1);
  expect(stderr).toContain("is in use; end the agents first");
});

test("a log that was left at the place is not read into the restored store", async () => {
  await using store = await storeWithSession();
  await store.scm("backup", "day.gz");
  const at = join(store.workspace, "copy.sqlite");
  await writeFile(`${at}-wal`, "a log of another file");

  await store.scm("restore", "day.gz", "--at", at);

  expect((await store.scm("list", "--at", at)).code).toBe(0);
  const names = await readdir(store.workspace);
  expect(names.filter((name) => /^copy\.sqlite\.\w+\.former-wal$/u.test(name))).toHaveLength(1);
});

test("a file that is no complete backup is refused, and nothing is made", async () => {
  await using store = await storeWithSession();
  await store.scm("backup", "day.gz");
  const file = join(store.workspace, "day.gz");
  const at = join(store.workspace, "copy.sqlite");
  await truncate(file, (await stat(file)).size - 20);
  await writeFile(join(store.workspace, "text.txt"), "some text");

  const cut = await store.scm("restore", "day.gz", "--at", at);
  const text = await store.scm("restore", "text.txt", "--at", at);
  const missing = await store.scm("restore", "none.gz", "--at", at);

  for (const { code, stderr } of [cut, text, missing]) {
    expect(code).toBe(1);
    expect(stderr).toContain("is not a complete backup");
  }
  expect((await readdir(store.workspace)).filter((name) => name.startsWith("copy"))).toEqual([]);
});

test("no backup is made of a damaged store", async () => {
  await using store = await storeWithSession();
  damage(store);

  const { code, stderr } = await store.scm("backup", "day.gz");

  expect(code).toBe(1);
  expect(stderr).toContain("no backup was written, because the store");
  expect(stderr).toContain("scm doctor --repair");
  expect(await readdir(store.workspace)).not.toContain("day.gz");
});

test("a store in memory and the URL of a node have no backup here", async () => {
  const memory = await run(["backup", "--store", "memory"]);
  const url = await run(["backup", "--store", "xtdb", "--at", "http://127.0.0.1:9"]);

  expect(memory.stderr).toContain("ends with its process");
  expect(url.stderr).toContain("is the URL of a node");
});

/** Changes the hash of one version. */
function damage({ at }: TemporaryStore): void {
  const database = new DatabaseSync(at);
  database.exec("UPDATE versions SET object_hash = zeroblob(32) WHERE seq = 3");
  database.close();
}
