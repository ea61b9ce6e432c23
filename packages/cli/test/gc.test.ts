import { openContextManager } from "@self-context-manager/compose";
import { type Message, neutralCodec, readList } from "@self-context-manager/core";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { run, type TemporaryStore, temporaryStore } from "./temporary-store.ts";

const start = Date.UTC(2020, 0, 1);
const day = 86_400_000;

interface Answer {
  readonly removed: boolean;
  readonly sessions: readonly { readonly session_id: string; readonly objects: number }[];
  readonly spared: readonly { readonly session_id: string; readonly reason: string }[];
  readonly objects: readonly string[];
  readonly kept: readonly { readonly id: string; readonly why: string }[];
}

test("without --yes the sessions are listed and nothing is changed", async () => {
  await using store = await storeOfYears();
  const before = (await store.scm("export")).stdout;

  const { code, stdout, stderr } = await store.scm("gc", "--older-than", "1000d");

  expect(code).toBe(0);
  expect(stdout).toContain("work of old");
  expect(stdout).toMatch(/To remove: 1 session with \d+ objects, /u);
  expect(stderr).toBe("Nothing was changed. Add --yes to remove them.\n");
  expect((await store.scm("export")).stdout).toBe(before);
});

test("with --yes they are gone from the file, which is smaller, and the rest is sound", async () => {
  await using store = await storeOfYears();
  await store.scm("find", "word");
  const before = (await stat(store.at)).size;

  const { code, stdout } = await store.scm("gc", "--older-than", "1000d", "--yes");

  expect(code).toBe(0);
  expect(stdout).toMatch(/\nRemoved 1 session with \d+ objects, .*B of rows\. The store had /u);
  expect((await stat(store.at)).size).toBeLessThan(before);
  for (const path of [store.at, `${store.at}-wal`, `${store.at}.search`])
    expect((await readFile(path).catch(() => Buffer.of())).includes("secret-of-old")).toBe(false);
  expect((await store.scm("find", "--literal", "secret-of-old")).stdout).toBe("");
  expect((await store.scm("find", "--literal", "secret-of-new")).stdout).toContain("bash");
  expect((await store.scm("doctor")).code).toBe(0);
  expect((await gc(store, "--older-than", "1000d")).sessions).toEqual([]);
});

describe("the conditions", () => {
  test("name the sessions that meet all of them", async () => {
    await using store = await storeOfYears();
    const chosen = async (...options: readonly string[]): Promise<readonly string[]> =>
      (await gc(store, ...options)).sessions.map(({ session_id: id }) => id);

    expect(await chosen("--older-than", "1d")).toEqual(["old", "new", "empty"]);
    expect(await chosen("--empty")).toEqual(["empty"]);
    expect(await chosen("--larger-than", "4k", "--empty")).toEqual([]);
    expect(await chosen("--to", "1M")).toEqual([]);
    expect(await chosen("--to", "1k")).toEqual(["old", "new", "empty"]);
  });

  test.each([
    [[], "give a condition"],
    [["--older-than", "soon"], "it must be a number with a unit, such as 12h"],
    [["--to", "5 apples"], "it must be a number with a unit, such as 500k"],
  ])("%j is wrong usage", async (options, text) => {
    await using store = await storeOfYears();

    const { code, stderr } = await store.scm("gc", ...options);

    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });

  test("of bytes need a store that knows them", async () => {
    const { code, stderr } = await run(["gc", "--store", "memory", "--to", "1M"]);

    expect(code).toBe(2);
    expect(stderr).toContain("does not know the bytes");
  });
});

describe("a session stays", () => {
  test("while an agent has it open", async () => {
    await using store = await storeOfYears();
    await using manager = await openContextManager({ at: store.at, workspace: store.workspace });
    await using _session = await manager.openSession({ harness: "pi", sessionId: "old" });

    const answer = await gc(store, "--older-than", "1000d", "--yes");

    expect(answer).toMatchObject({ removed: false, objects: [] });
    expect(answer.spared).toMatchObject([{ session_id: "old", reason: "open" }]);
  });

  test("if it has a nickname or a pinned object, without --also-pinned", async () => {
    await using store = await storeOfYears();
    await pin(store, "old");
    await store.scm("nickname", "c-new", "mine");

    const spared = (await gc(store, "--larger-than", "4k")).spared.map((one) => [
      one.session_id,
      one.reason,
    ]);
    const { sessions, kept } = await gc(store, "--larger-than", "4k", "--also-pinned");

    expect(Object.fromEntries(spared)).toEqual({ new: "nickname", old: "pinned" });
    expect(sessions.map(({ session_id: id }) => id)).toEqual(["old", "new"]);
    expect(kept).toContainEqual({ id: "c-new", why: "nickname" });
  });
});

test("a fork of a removed session sends the same bytes, and its calls can be rebuilt", async () => {
  await using store = await storeOfYears();
  const { at, workspace } = store;
  const resumed = async (): Promise<string> => {
    await using manager = await openContextManager({ at, workspace });
    await using session = await manager.openSession({ harness: "pi", sessionId: "fork" });
    return JSON.stringify((await session.peekView()).messages);
  };
  await using manager = await openContextManager({ at, workspace });
  const fork = await manager.openSession({ harness: "pi", sessionId: "fork" });
  const [, messages = []] = messagesOf("old");
  await fork.ingest(readList(messages, neutralCodec));
  await fork.nextView();
  await manager[Symbol.asyncDispose]();
  const before = await resumed();

  const { kept, sessions } = await gc(store, "--older-than", "1000d", "--yes");

  expect(sessions.map(({ session_id: id }) => id)).toEqual(["old"]);
  expect(kept.find(({ id }) => id === "c-old")?.why).toBe("session");
  expect(before).toContain("secret-of-old");
  expect(await resumed()).toBe(before);
  expect((await store.scm("view", "fork", "--verify")).code).toBe(0);
  expect((await store.scm("doctor")).code).toBe(0);
  const copy = join(workspace, "copy.jsonl");
  await store.scm("export", copy);
  const imported = await run(["import", copy, "--at", join(workspace, "copy.sqlite")]);
  expect(imported.code).toBe(0);
});

test("a file of the workspace stays as long as a session of the workspace does", async () => {
  await using store = await storeOfYears();

  const some = await gc(store, "--older-than", "1000d");
  const all = await gc(store, "--older-than", "1d");

  expect(some.kept.map(({ why }) => why).toSorted()).toEqual(["session", "workspace"]);
  expect(all.kept).toEqual([]);
});

async function gc(store: TemporaryStore, ...options: readonly string[]): Promise<Answer> {
  const { code, stdout, stderr } = await store.scm("gc", "--json", ...options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Answer;
}

async function pin({ at, workspace }: TemporaryStore, sessionId: string): Promise<void> {
  const clock = { now: () => start + day };
  await using manager = await openContextManager({ at, workspace, clock });
  await using session = await manager.openSession({ harness: "pi", sessionId });
  expect((await session.pin("a.txt")).ok).toBe(true);
}

/** A session `old` of 2020, a session `new` of 2025, and a session `empty` without a call of the same day. */
async function storeOfYears(): Promise<TemporaryStore> {
  const made = await temporaryStore();
  const { workspace, at } = made;
  await writeFile(join(workspace, "a.txt"), "one\ntwo\n");
  await writeFile(join(workspace, "b.txt"), "three\n");
  for (const [sessionId, days] of [
    ["old", 0],
    ["new", 5 * 365],
  ] as const) {
    let now = start + days * day;
    const clock = { now: () => (now += 1000) };
    await using manager = await openContextManager({ at, workspace, clock });
    const session = await manager.openSession({ harness: "pi", sessionId });
    await session.read({ path: "a.txt" });
    if (sessionId === "old") await session.read({ path: "b.txt" });
    for (const list of messagesOf(sessionId)) {
      await session.ingest(readList(list, neutralCodec));
      await session.nextView();
    }
    if (sessionId === "old") continue;
    const empty = await manager.openSession({ harness: "pi", sessionId: "empty" });
    await empty.recordSystemPrompt("host", "You help.");
  }
  return made;
}

/** The lists of two calls. The output of a tool is in the second. */
function messagesOf(name: string): readonly (readonly Message[])[] {
  const user: Message = { role: "user", content: `work of ${name}`, timestamp: 1 };
  const lines = Array.from({ length: 900 }, (_, line) => `${(line * 7919) % 10_007} word`);
  const output = [`secret-of-${name}`, ...lines].join("\n");
  return [
    [user],
    [
      user,
      {
        role: "assistant",
        content: [
          { type: "toolCall", id: `c-${name}`, name: "bash", arguments: { command: name } },
        ],
        meta: { stopReason: "toolUse" },
        timestamp: 2,
      },
      {
        role: "toolResult",
        toolCallId: `c-${name}`,
        toolName: "bash",
        content: [{ type: "text", text: output }],
        isError: false,
        timestamp: 3,
      },
    ],
  ];
}
