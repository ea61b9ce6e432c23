import { StoreError } from "@self-context-manager/core";
import { secretMask } from "@self-context-manager/secrets";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

import { secretFiles } from "../src/secret-files.ts";
import { secretsPath, storeMask } from "../src/store-mask.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Joined here, so that no file contains a text that looks like a key. */
const token = ["ghp", `${"q7Zr2Kd9".repeat(4)}Wm4x`].join("_");
const other = ["ghp", `${"b5Xw8Tn3".repeat(4)}Lp6v`].join("_");
const text = `use ${token} now`;

const maskAt = (path: string) => secretMask(secretFiles(path, true));

test("makes files for their owner only, and none before the first secret", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "store.sqlite");
  const mask = maskAt(path);

  mask.hide("nothing secret here");
  const before = readdirSync(folder.path);
  mask.hide(text);

  expect(before).toEqual([]);
  expect(readdirSync(folder.path)).toEqual(["store.sqlite.key", "store.sqlite.secrets"]);
  for (const name of readdirSync(folder.path))
    expect(statSync(join(folder.path, name)).mode & 0o777).toBe(0o600);
});

test("gives another process the bytes and the same marks", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "store");
  const [one, two] = [maskAt(path), maskAt(path)];

  const hidden = one.hide(text);

  expect(two.reveal(hidden)).toBe(text);
  expect(two.hide(text)).toBe(hidden);
  expect(one.reveal(two.hide(`and ${other}`))).toBe(`and ${other}`);
});

test("leaves marks after the bytes were deleted, and keeps what comes after", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "store");
  const hidden = maskAt(path).hide(text);
  rmSync(`${path}.secrets`);
  let lost = 0;

  const mask = maskAt(path);

  expect(mask.reveal(hidden, () => (lost += 1))).toBe(hidden);
  expect(lost).toBe(1);
  expect(mask.hide(text)).toBe(hidden);
  expect(maskAt(path).reveal(hidden)).toBe(text);
});

test("makes a new key after the key was deleted or damaged, and still has the earlier bytes", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "store");
  const hidden = maskAt(path).hide(text);

  rmSync(`${path}.key`);
  const again = maskAt(path).hide(text);
  writeFileSync(`${path}.key`, "no key\n");
  const third = maskAt(path).hide(text);

  expect(new Set([hidden, again, third]).size).toBe(3);
  for (const one of [hidden, again, third]) expect(maskAt(path).reveal(one)).toBe(text);
  expect(statSync(`${path}.key`).mode & 0o777).toBe(0o600);
});

test("leaves out a damaged line and one that was not ended", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "store");
  const first = maskAt(path).hide(text);
  const line = readFileSync(`${path}.secrets`, "utf8").trim();
  writeFileSync(`${path}.secrets`, `${line.replace(/ [\w+/]/u, " A")}\nabc\n${line.slice(0, 30)}`);

  const mask = maskAt(path);
  const second = mask.hide(`use ${other} now`);

  expect(maskAt(path).reveal(first)).toBe(first);
  expect(maskAt(path).reveal(second)).toBe(`use ${other} now`);
});

test("throws a store error if the folder of the files is a file", async () => {
  await using folder = await temporaryFolder();
  writeFileSync(join(folder.path, "file"), "");

  expect(() => maskAt(join(folder.path, "file", "store")).hide(text)).toThrow(StoreError);
});

test("has the bytes of all processes that append at once", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "store");
  const program = fileURLToPath(new URL("secret-writer.ts", import.meta.url));
  const run = async (name: string): Promise<readonly string[]> => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=@self-context-manager/source", program, path, name],
      { maxBuffer: 10_000_000 },
    );
    return JSON.parse(stdout) as readonly string[];
  };

  const written = await Promise.all(["a", "b", "c"].map(run));

  const mask = maskAt(path);
  const lines = written.flat();
  expect(lines).toHaveLength(300);
  for (const line of lines) expect(mask.reveal(line)).toMatch(/^TOKEN=ghp_\w{36}$/u);
});

test("has its files beside a store in SQLite and beside the index of one in XTDB, and none for one in memory", () => {
  const environment = { XDG_DATA_HOME: "/data" };

  expect(secretsPath({ store: "sqlite", at: "/a/store.sqlite" })).toBe("/a/store.sqlite");
  expect(secretsPath({ store: "memory", at: "memory" })).toBeUndefined();
  expect(secretsPath({ store: "xtdb", at: "http://host:1" }, environment)).toMatch(
    /^\/data\/self-context-manager\/search\/scm-[0-9a-f]{12}$/u,
  );
});

test("masks a store that it opened, and one that the caller opened only if that is asked for", () => {
  expect(storeMask({ store: "memory", at: "memory" }, {})?.isHiding).toBe(true);
  expect(storeMask(undefined, {})).toBeUndefined();
  expect(storeMask(undefined, { secrets: "mask" })?.isHiding).toBe(true);
  expect(storeMask(undefined, { secretsAt: "/a/store" })?.isHiding).toBe(true);
  expect(storeMask({ store: "memory", at: "memory" }, { secrets: "keep" })?.isHiding).toBe(false);
  expect(() =>
    // @ts-expect-error a caller without types
    storeMask(undefined, { secrets: "sometimes" }),
  ).toThrow('secrets is "sometimes"; it must be mask or keep or off');
});

test("makes no file where secrets are only reported", async () => {
  await using folder = await temporaryFolder();
  const found: string[] = [];
  const mask = storeMask({ store: "sqlite", at: join(folder.path, "store") }, { secrets: "keep" });

  expect(mask?.hide(text, ({ rule }) => found.push(rule))).toBe(text);
  expect([found, readdirSync(folder.path)]).toEqual([["github-token"], []]);
});

test("still gives no bytes to a quoted mark after marking was turned off", async () => {
  await using folder = await temporaryFolder();
  const place = { store: "sqlite", at: join(folder.path, "store") } as const;
  const hidden = storeMask(place, {})?.hide(text) ?? "";
  const off = storeMask(place, { secrets: "off" });

  expect(off?.hide(text)).toBe(text);
  expect(off?.reveal(hidden)).toBe(text);
  expect(off?.hide(hidden)).toContain("[secret: mark, ");
  expect(off?.reveal(off.hide(hidden))).toBe(hidden);
});
