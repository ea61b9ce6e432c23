import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

import { storeWithSession, type TemporaryStore, texts } from "./temporary-store.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const start = ["--conditions=@self-context-manager/source", main];

function settings(store: TemporaryStore): { cwd: string; env: NodeJS.ProcessEnv } {
  return { cwd: store.workspace, env: { ...process.env, SCM_STORE: store.at } };
}

test("as a process it prints only a content's bytes", async () => {
  await using store = await storeWithSession();

  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [...start, "print", "a.txt", "--as-of", "1"],
    { ...settings(store), encoding: "buffer" },
  );

  expect(stdout.equals(Buffer.from(texts.first))).toBe(true);
  expect(stderr.toString()).toBe("");
});

test.each([
  [["print", "a.txt"], 0],
  [["print", "nothing"], 1],
  [["print"], 2],
])("as a process it ends with its exit code: %j", async (argv, code) => {
  await using store = await storeWithSession();

  const child = spawn(process.execPath, [...start, ...argv], {
    ...settings(store),
    stdio: "ignore",
  });

  expect(await once(child, "exit")).toEqual([code, null]);
});

test("it ends without an error when its output is closed", async () => {
  await using store = await storeWithSession();
  const child = spawn(process.execPath, [...start, "export"], {
    ...settings(store),
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));

  const [code] = await once(child, "close");

  expect({ code, complaint }).toEqual({ code: 0, complaint: "" });
});

test("it imports an export from standard input", async () => {
  await using store = await storeWithSession();
  const { stdout } = await store.scm("export");
  const child = spawn(process.execPath, [...start, "import", "-", "--store", "memory"], {
    ...settings(store),
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(stdout);

  const printed = await text(child.stdout);

  expect(printed).toMatch(
    /^imported \d+ versions into memory; 0 were already in the store; \d+ objects in total\n$/u,
  );
});

test.skipIf(process.platform === "win32")(
  "it notes on standard error that others can read the store",
  async () => {
    await using store = await storeWithSession();
    await chmod(store.at, 0o644);

    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [...start, "print", "a.txt", "--as-of", "1"],
      settings(store),
    );

    expect(stdout).toBe(texts.first);
    expect(stderr).toContain(`can read or replace the store: ${store.at} (mode 644)`);
    expect(stderr).toContain(`. To correct it, run: chmod 600 ${store.at} `);
  },
);
