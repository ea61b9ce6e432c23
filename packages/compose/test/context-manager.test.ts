import { StoreError } from "@self-context-manager/core";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { openContextManager } from "../src/context-manager.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const host = { harness: "test", sessionId: "s1" };

test("a session reads the workspace's files, by their real paths", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "a.txt"), "one\ntwo\n");
  await symlink(folder.path, join(folder.path, "link"));
  await using manager = await openContextManager({
    store: "memory",
    workspace: join(folder.path, "link"),
  });
  const session = await manager.openSession(host);

  const answer = await session.read({ path: "a.txt" });

  expect(answer.text).toContain("f1 a.txt: indexed, version 1");
  const found = await manager.store.find({ where: { path: join(folder.path, "a.txt") } });
  expect(found.items).toHaveLength(1);
});

test("a read shows as much as Pi's own read", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "long.txt"), "x\n".repeat(2001));
  await using manager = await openContextManager({ store: "memory", workspace: folder.path });
  const session = await manager.openSession(host);

  const answer = await session.read({ path: "long.txt" });

  expect(answer.text).toContain("lines 1-2000 of 2001");
});

test.each([
  ["asks for the host's own read by default", {}, false],
  ["reads a named file if the option says so", { activateUnread: "read" }, true],
] as const)("activate %s", async (_name, options, ok) => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "a.txt"), "one\n");
  await using manager = await openContextManager({
    store: "memory",
    workspace: folder.path,
    ...options,
  });
  const session = await manager.openSession(host);
  session.announceTools(["read"]);
  await session.recordNamed(["a.txt"]);

  expect(await session.activate("f1")).toMatchObject({ ok });
});

test("a store in a file keeps a session for the next manager", async () => {
  await using folder = await temporaryFolder();
  const options = { at: join(folder.path, "data", "store.sqlite"), workspace: folder.path };
  await writeFile(join(folder.path, "a.txt"), "one\n");
  {
    await using manager = await openContextManager(options);
    await (await manager.openSession(host)).read({ path: "a.txt" });
  }

  await using manager = await openContextManager(options);
  const status = await (await manager.openSession(host)).status();

  expect(status.objects.map(({ handle, state }) => [handle, state])).toEqual([["f1", "active"]]);
});

test("sessions of one host are distinguished by their ids", async () => {
  await using manager = await openContextManager({ store: "memory" });

  const [one, other] = [
    await (await manager.openSession(host)).status(),
    await (await manager.openSession({ ...host, sessionId: "s2" })).status(),
  ];

  expect(one.sessionId).not.toBe(other.sessionId);
});

test("disposal is idempotent, and closes the sessions with the store", async () => {
  const manager = await openContextManager({ store: "memory" });
  const session = await manager.openSession(host);

  await manager[Symbol.asyncDispose]();
  await manager[Symbol.asyncDispose]();

  const error = await session.load("x").catch((cause: unknown) => cause);
  expect(StoreError.is(error, "STORE_CLOSED")).toBe(true);
});

test.each([
  [
    "store",
    { store: "mongo" as "sqlite" },
    'store is "mongo"; it must be sqlite or xtdb or memory',
  ],
  ["layout", { layout: "spiral" as "pooled" }, 'layout is "spiral"; it must be epoch or pooled'],
  [
    "policy",
    { policy: { type: "none" as "window" } },
    'policy is "none"; it must be recently-used or window',
  ],
  ["policy's numbers", { policy: { type: "window", calls: 0 } as const }, "calls of the window"],
])("a wrong %s is refused before the store is opened", async (_, options, message) => {
  const opening = openContextManager({ store: "memory", ...options });

  await expect(opening).rejects.toThrow(message);
});

test("a session reports whether another manager has it open", async () => {
  await using folder = await temporaryFolder();
  const options = { at: join(folder.path, "store.sqlite"), workspace: folder.path };
  const first = await openContextManager(options);
  const alone = await first.openSession(host);
  const again = await first.openSession(host);
  await using second = await openContextManager(options);
  const shared = await second.openSession(host);
  const other = await second.openSession({ ...host, sessionId: "s2" });
  await first[Symbol.asyncDispose]();
  await using third = await openContextManager(options);
  const later = await third.openSession(host);

  const said = [alone, again, shared, other, later].map(({ isShared }) => isShared);

  expect(said).toEqual([false, false, true, false, false]);
});

test("a process that was killed no longer has its session open", async () => {
  await using folder = await temporaryFolder();
  const at = join(folder.path, "store.sqlite");
  const presence = new URL("../src/session-presence.ts", import.meta.url).href;
  const script = `
    const { openPresence } = await import(${JSON.stringify(presence)});
    const { isShared } = await openPresence(${JSON.stringify(`${at}.open`)}, ${JSON.stringify(host)});
    console.log(isShared);
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  const [said] = await once(child.stdout, "data");
  const open = async (): Promise<boolean> => {
    await using manager = await openContextManager({ at, workspace: folder.path });
    return (await manager.openSession(host)).isShared;
  };
  const whileItLives = await open();
  child.kill("SIGKILL");
  await once(child, "exit");

  expect([String(said).trim(), whileItLives, await open()]).toEqual(["false", true, false]);
});
