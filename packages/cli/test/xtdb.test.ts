import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { run, temporaryStore } from "./temporary-store.ts";

test("the status of a folder without a node creates no node", async () => {
  await using store = await temporaryStore();
  const at = join(store.workspace, "node");

  const { code, stdout } = await run(["xtdb", "status", "--at", at]);

  expect(code).toBe(0);
  expect(stdout).toBe(`state       absent\ndata        ${at}\n`);
});

test("the environment's folder is used only if the kind of store is XTDB", async () => {
  await using store = await temporaryStore();
  const folderOf = async (environment: Readonly<Record<string, string>>): Promise<unknown> => {
    const { stdout } = await run(["xtdb", "status", "--json"], environment);
    return (JSON.parse(stdout) as Record<string, unknown>)["dataFolder"];
  };
  const common = { XDG_DATA_HOME: store.workspace, SCM_STORE: store.at };

  const folders = [
    await folderOf(common),
    await folderOf({ ...common, SCM_STORE_KIND: "sqlite" }),
    await folderOf({ ...common, SCM_STORE_KIND: "xtdb" }),
  ];

  const usual = join(store.workspace, "self-context-manager", "xtdb");
  expect(folders).toEqual([usual, usual, store.at]);
});

test("stopping without a running node is reported and is not a failure", async () => {
  await using store = await temporaryStore();

  const { code, stderr } = await run(["xtdb", "stop", "--at", join(store.workspace, "node")]);

  expect({ code, stderr }).toEqual({ code: 0, stderr: "no node was running\n" });
});

test("a failed backup or restore is reported in a sentence", async () => {
  await using store = await temporaryStore();
  const at = join(store.workspace, "node");
  const backup = join(store.workspace, "backup.db");
  await mkdir(at);
  await writeFile(backup, "no database");

  const restored = await run(["restore", backup, "--store", "xtdb", "--at", at]);
  const backedUp = await run([
    "backup",
    join(store.workspace, "new.db"),
    "--store",
    "xtdb",
    "--at",
    at,
  ]);

  expect([restored.code, backedUp.code]).toEqual([1, 1]);
  expect(restored.stderr).toContain(`${backup} is not a complete backup`);
  expect(backedUp.stderr).toContain(`there is no data of a node in ${at}`);
});

test("a query is refused if the store is not in XTDB, and if the query is missing", async () => {
  const without = await run(["xtdb", "query"]);
  const other = await run(["xtdb", "query", "{:find [x]}", "--store", "memory"]);

  expect(without.code).toBe(2);
  expect(without.stderr).toContain("query needs a query in EDN");
  expect(other.code).toBe(2);
  expect(other.stderr).toContain("the store is of the kind memory, which has no query language");
});
