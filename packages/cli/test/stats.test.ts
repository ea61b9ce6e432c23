import { objectId, sealObject } from "@self-context-manager/objects";
import { stat } from "node:fs/promises";
import { expect, test } from "vitest";

import { storeWithCalls } from "./store-with-calls.ts";
import { run, storeWithSession, withStore } from "./temporary-store.ts";

interface Amount {
  readonly objects: number;
  readonly versions: number;
  readonly bytes: number;
}

interface Stats {
  readonly total: Amount;
  readonly types: readonly (Amount & { readonly type: string })[];
  readonly session_count: number;
  readonly sessions: readonly (Amount & {
    readonly id: string;
    readonly session_id: string;
    readonly calls: number;
    readonly workspace: string | null;
    readonly first_words: string | null;
  })[];
  readonly workspaces: readonly (Amount & { readonly workspace: string | null })[];
  readonly pages: Readonly<Record<string, number>>;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

test("a session is listed with its calls, its folder and what the user said first", async () => {
  await using store = await storeWithCalls();

  const { code, stdout } = await store.scm("stats");

  expect(code).toBe(0);
  const [row = ""] = stdout.split("\n").filter((line) => line.includes("please build"));
  expect(row).toContain(store.workspace);
  expect(row).toMatch(/^\S+ +4 /u);
});

test("the types have all versions of the store, and the sessions and their files are in a workspace", async () => {
  await using store = await storeWithCalls();
  const stats = await statsOf(store);
  const exported = (await store.scm("export")).stdout.trimEnd().split("\n").length - 1;

  expect(stats.total.versions).toBe(exported);
  for (const field of ["objects", "versions", "bytes"] as const) {
    expect(sum(stats.types, field)).toBe(stats.total[field]);
    expect(sum(stats.workspaces, field)).toBe(stats.total[field]);
  }
  const calls = stats.types.find(({ type }) => type === "toolcall");
  const [session] = stats.sessions.filter(({ session_id: id }) => id === "s1");
  expect(calls?.objects).toBe(2);
  // The session, its chat, its view, its system prompt and its calls.
  expect(session).toMatchObject({ objects: 6, calls: 4, workspace: store.workspace });
});

test("the files beside the store are listed with their sizes", async () => {
  await using store = await storeWithSession();
  await store.scm("find", "one");
  await store.scm("backup");

  const { files, pages } = await statsOf(store);

  const names = files.map(({ path }) => path.slice(store.at.length - "store.sqlite".length));
  expect(names).toContain("store.sqlite");
  expect(names).toContain("store.sqlite.search");
  expect(names.filter((name) => name.startsWith("backups/"))).toHaveLength(1);
  const backup = files.find(({ path }) => path.endsWith(".gz"));
  expect(backup?.bytes).toBe((await stat(backup?.path ?? "")).size);
  expect(Object.values(pages).reduce((all, bytes) => all + bytes, 0)).toBeLessThanOrEqual(
    (await stat(store.at)).size + (await stat(`${store.at}-wal`).catch(() => ({ size: 0 }))).size,
  );
});

test("a file in a workspace is counted there, and belongs to no session", async () => {
  await using store = await storeWithSession();

  const { types, sessions } = await statsOf(store);

  expect(types.find(({ type }) => type === "file")?.objects).toBe(4);
  const others = types.filter(({ type }) => type !== "file");
  expect(sum(sessions, "objects")).toBe(sum(others, "objects"));
});

test("--newest and --limit choose the sessions, and the rest is counted", async () => {
  await using store = await storeWithCalls();
  await withStore(store, async (open) => {
    const { items } = await open.find({ where: { type: "session", session_id: "empty" } });
    const empty = await open.get(objectId(items[0]?.body.id ?? ""));
    expect(empty).toBeDefined();
    if (empty !== undefined)
      await open.commit([{ object: sealObject({ ...empty.body, later: true }) }]);
  });

  const largest = await store.scm("stats", "--limit", "1");
  const newest = await store.scm("stats", "--limit", "1", "--newest");
  const wrong = await store.scm("stats", "--limit", "none");

  expect(largest.stdout).toContain("please build");
  expect(newest.stdout).not.toContain("please build");
  for (const { stdout } of [largest, newest]) expect(stdout).toContain("1 more session\n");
  expect(wrong).toMatchObject({ code: 2 });
});

test("a store in memory has no files and knows no bytes", async () => {
  const { code, stdout } = await run(["stats", "--store", "memory", "--json"]);

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    total: { objects: 0, bytes: null },
    pages: null,
    files: [],
  });
});

test("nothing of the store is changed", async () => {
  await using store = await storeWithCalls();
  const before = (await store.scm("export")).stdout;

  await store.scm("stats");

  expect((await store.scm("export")).stdout).toBe(before);
});

async function statsOf(store: Awaited<ReturnType<typeof storeWithSession>>): Promise<Stats> {
  const { code, stdout, stderr } = await store.scm("stats", "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Stats;
}

function sum(all: readonly Amount[], field: keyof Amount): number {
  return all.reduce((total, one) => total + one[field], 0);
}
