import { objectId, sha256, type StoreErrorCode } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

import { openSqliteStore } from "../src/index.ts";
import { sqlitePlace } from "./sqlite-place.ts";

const a = objectId("a");

it("creates the folder and the file for this user only", async () => {
  await using place = await sqlitePlace();
  const path = join(dirname(place.path), "deep", "er", "store.sqlite");

  await using store = await openSqliteStore({ path });
  await store.commit([{ object: sample("a", { content: "text" }) }]);

  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  expect((await stat(`${path}-wal`)).mode & 0o777).toBe(0o600);
});

it("keeps only one file after it is closed", async () => {
  await using place = await sqlitePlace();
  const store = await place.open();
  await store.commit([{ object: sample("a", { content: "text" }) }]);

  await store[Symbol.asyncDispose]();

  expect(await readdir(dirname(place.path))).toEqual(["store.sqlite"]);
});

it.each<[string, (path: string) => Promise<unknown>, StoreErrorCode, RegExp]>([
  [
    "a file that is not a database",
    async (path) => await writeFile(path, "this is a text, and a long one at that. ".repeat(200)),
    "STORE_CORRUPT",
    /scm restore takes a backup/,
  ],
  [
    "a file whose beginning is damaged",
    async (path) => {
      await fill({ path });
      await writeFile(path, (await readFile(path)).fill(0x5a, 0, 2000));
    },
    "STORE_CORRUPT",
    /scm restore takes a backup/,
  ],
  [
    "a store whose header says that it is of another program",
    async (path) => {
      await fillWithSchema(path, 6);
      change(path, "PRAGMA application_id = 7");
    },
    "STORE_CORRUPT",
    /header is not as it was written.*scm doctor --repair/,
  ],
  [
    "a store whose header has an impossible schema",
    async (path) => await fillWithSchema(path, 67_108_870),
    "STORE_CORRUPT",
    /header is not as it was written.*scm doctor --repair/,
  ],
  [
    "a file of a newer program",
    async (path) => await fillWithSchema(path, 99),
    "STORE_TOO_NEW",
    /update the program/,
  ],
  [
    "a file with a schema before the first release",
    async (path) => {
      await fillWithSchema(path, 4);
      change(path, "ALTER TABLE versions DROP COLUMN sum");
    },
    "STORE_TOO_OLD",
    /schema version 4, which no release had/,
  ],
  [
    "a path that is a directory",
    async (path) => await mkdir(path),
    "STORE_UNREADABLE",
    /is a directory/,
  ],
  [
    "a link whose target does not exist",
    async (path) => await symlink(join(dirname(path), "nowhere", "at", "all"), path),
    "STORE_UNREADABLE",
    /another path/,
  ],
])("refuses %s", async (_, make, code, advice) => {
  await using place = await sqlitePlace();
  await make(place.path);

  expect(await failureOf(openSqliteStore({ path: place.path }))).toMatchObject(
    refusal(code, place.path, advice),
  );
});

it("reports a damaged page with the path of the file", async () => {
  await using place = await sqlitePlace();
  await fill(place);
  const bytes = await readFile(place.path);
  await writeFile(place.path, bytes.fill(0xff, 4096 * 2));

  const failure = await failureOf(readAll(place));

  expect(failure).toMatchObject(refusal("STORE_CORRUPT", place.path, /damaged/));
});

it("reports rows that refer to a missing text as damage", async () => {
  await using place = await sqlitePlace();
  await fill(place);
  const database = new DatabaseSync(place.path);
  database.exec("DELETE FROM chunks");
  database.close();
  await using store = await place.open();

  const failure = await failureOf(store.get(a));

  expect(failure).toMatchObject(refusal("STORE_CORRUPT", place.path, /damaged/));
});

it("refuses the database of another program and does not change it", async () => {
  await using place = await sqlitePlace();
  const other = new DatabaseSync(place.path);
  other.exec("CREATE TABLE theirs (x)");
  other.close();
  const before = await readFile(place.path);

  expect(await failureOf(openSqliteStore({ path: place.path }))).toMatchObject(
    refusal("STORE_FOREIGN", place.path, /another program/),
  );

  expect(await readFile(place.path)).toEqual(before);
});

it("refuses a path that leads through a file", async () => {
  await using place = await sqlitePlace();
  await fill(place);

  expect(
    await failureOf(openSqliteStore({ path: join(place.path, "store.sqlite") })),
  ).toMatchObject(refusal("STORE_UNREADABLE", join(place.path, "store.sqlite"), /another path/));
});

it("refuses at once a path where the system makes no folder", async () => {
  const path = "/proc/self-context-manager/deep/store.sqlite";

  expect(await failureOf(openSqliteStore({ path }))).toMatchObject(
    refusal("STORE_UNREADABLE", path, /its folder cannot be created.*choose another path/),
  );
});

it("follows a link to the file", async () => {
  await using place = await sqlitePlace();
  await fill(place);
  const link = join(dirname(place.path), "link.sqlite");
  await symlink(place.path, link);

  await using store = await openSqliteStore({ path: link });

  expect((await store.get(a))?.version).toBe(1);
});

/** Returns a text that packing cannot make much shorter; the same text for the same length. */
function incompressible(length: number): string {
  let text = "";
  for (let count = 0; text.length < length; count += 1) text += sha256(String(count));
  return text;
}

it("refuses to write beyond its limit, and writes again when the limit is gone", async () => {
  await using place = await sqlitePlace();
  const large = [{ object: sample("b", { content: incompressible(600_000) }) }];
  const limited = await openSqliteStore({ path: place.path, maxBytes: 200_000 });
  await limited.commit([{ object: sample("a", { content: "small" }) }]);

  const failure = await failureOf(limited.commit(large));
  const refused = await limited.get(objectId("b"));
  await limited.commit([{ object: sample("a", { content: "still small" }) }]);
  const before = await limited.get(a);
  await limited[Symbol.asyncDispose]();
  await using store = await place.open();

  expect(failure).toMatchObject(refusal("STORE_FULL", place.path, /free some space/));
  expect(refused).toBeUndefined();
  expect(await store.get(a)).toEqual(before);
  expect((await store.commit(large)).versions[0]?.version).toBe(1);
});

it("names the file and what to do while another program locks the file", async () => {
  await using place = await sqlitePlace();
  await fill(place);
  await using store = await openSqliteStore({ path: place.path, busyTimeout: 120 });
  const other = new DatabaseSync(place.path);
  other.exec("BEGIN IMMEDIATE");

  const failure = await failureOf(store.commit([{ object: sample("b", { content: "x" }) }]));
  other.close();

  expect(failure).toMatchObject(
    refusal("STORE_BUSY", place.path, /wait for that program, or end it$/u),
  );
});

it("does not block the event loop while it waits", async () => {
  await using place = await sqlitePlace();
  await fill(place);
  await using store = await place.open();
  const other = new DatabaseSync(place.path);
  other.exec("BEGIN IMMEDIATE");
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
    if (turns === 20) other.exec("ROLLBACK");
  }, 5);

  await store.commit([{ object: sample("b", { content: "x" }) }]);
  clearInterval(timer);
  other.close();

  expect(turns).toBeGreaterThanOrEqual(20);
});

it("names the required Node version if there is no node:sqlite", async () => {
  await using place = await sqlitePlace();

  const { stdout } = await runProbe(place.path, ["--no-experimental-sqlite"]);

  expect(JSON.parse(stdout)).toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: expect.stringMatching(/Node 24/) as string,
  });
});

it("prints nothing when it is opened", async () => {
  await using place = await sqlitePlace();

  const { stdout, stderr } = await runProbe(place.path, []);

  expect({ stdout, stderr }).toEqual({ stdout: '{"opened":true}\n', stderr: "" });
});

// Root may read and write everything, so these probes run as another user if the tests run as root.
const asUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

it("refuses a folder that cannot be written", async () => {
  await using place = await sqlitePlace();
  const folder = join(dirname(place.path), "read-only");
  await mkdir(folder);
  await fill({ path: join(folder, "store.sqlite") });
  await chmod(join(folder, "store.sqlite"), 0o666);
  await chmod(folder, 0o555);
  await chmod(dirname(place.path), 0o755);

  for (const name of ["store.sqlite", "new.sqlite"]) {
    const { stdout } = await runProbe(join(folder, name), [], asUser);
    expect(JSON.parse(stdout)).toMatchObject({
      code: "STORE_READ_ONLY",
      message: expect.stringContaining(name) as string,
    });
  }
});

it("refuses a file that cannot be written and a file that cannot be read", async () => {
  await using place = await sqlitePlace();
  await fill(place);
  await chmod(dirname(place.path), 0o777);

  await chmod(place.path, 0o444);
  const unwritable = JSON.parse((await runProbe(place.path, [], asUser)).stdout) as unknown;
  await chmod(place.path, 0o000);
  const unreadable = JSON.parse((await runProbe(place.path, [], asUser)).stdout) as unknown;

  expect(unwritable).toMatchObject({ code: "STORE_READ_ONLY" });
  expect(unreadable).toMatchObject({ code: "STORE_UNREADABLE" });
});

async function fill({ path }: { readonly path: string }): Promise<void> {
  await using store = await openSqliteStore({ path });
  await store.commit([{ object: sample("a", { content: "words ".repeat(30_000) }) }]);
}

/** Stores an object and sets the file's schema version. */
function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

async function fillWithSchema(path: string, version: number): Promise<void> {
  await fill({ path });
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA user_version = ${version}`);
  database.close();
}

async function readAll({ path }: { readonly path: string }): Promise<void> {
  await using store = await openSqliteStore({ path });
  await store.find({ where: { type: "note" } });
  await store.get(a);
}

/** Returns the error of a rejected promise; undefined if the promise resolves. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Matches a StoreError whose message contains the file and the advice. */
function refusal(code: StoreErrorCode, path: string, advice: RegExp): object {
  const message: unknown = expect.stringMatching(new RegExp(`${path}.*${advice.source}`, "s"));
  return { name: "StoreError", code, message };
}

function runProbe(
  path: string,
  flags: readonly string[],
  user: { readonly uid?: number; readonly gid?: number } = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const program = fileURLToPath(new URL("./open-probe.ts", import.meta.url));
  const args = [...flags, "--conditions=@self-context-manager/source", program, path];
  return promisify(execFile)(process.execPath, args, user);
}
