import { type ContextSession, type ObjectStore, StoreError } from "@self-context-manager/core";
import { memoryStore } from "@self-context-manager/store-memory";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";

import { type ContextManager, openContextManager } from "../src/context-manager.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const host = { harness: "test", sessionId: "s1" };

describe("the same id, opened twice", () => {
  it("is one session, also while the first opening is under way", async () => {
    const { manager, countOpenings } = await countedManager();
    await using _manager = manager;

    const handles = await Promise.all([manager.openSession(host), manager.openSession(host)]);
    handles.push(await manager.openSession(host));
    const openings = countOpenings();
    await handles[0]?.read({ path: import.meta.filename });

    expect(openings).toBe(1);
    expect(await Promise.all(handles.map(countOf))).toEqual([1, 1, 1]);
  });

  it("stays open until its last handle is disposed of", async () => {
    const { manager, countOpenings } = await countedManager();
    await using _manager = manager;
    const [one, other] = [await manager.openSession(host), await manager.openSession(host)];

    await one[Symbol.asyncDispose]();
    await one[Symbol.asyncDispose]();
    const count = await countOf(other);
    await other[Symbol.asyncDispose]();
    await manager.openSession(host);

    expect([count, countOpenings()]).toEqual([0, 2]);
  });

  it("rejects on a handle that is disposed of, although another one is open", async () => {
    await using manager = await openContextManager({ store: "memory" });
    const [one, other] = [await manager.openSession(host), await manager.openSession(host)];
    await one[Symbol.asyncDispose]();

    const error = await one.status().catch((cause: unknown) => cause);
    const { objects } = await other.status();

    expect(StoreError.is(error, "STORE_CLOSED")).toBe(true);
    expect(error).toMatchObject({
      message: "this handle of session s1 of test is closed; open the session again",
    });
    expect(objects).toEqual([]);
  });

  it("refuses the tools of a handle that is disposed of, although another one is open", async () => {
    await using manager = await openContextManager({ store: "memory" });
    const [one] = [await manager.openSession(host), await manager.openSession(host)];
    const pin = one.tools().find(({ name }) => name === "pin");
    await one[Symbol.asyncDispose]();

    const error = await pin?.run({ id: "f1" }, "call_1").catch((cause: unknown) => cause);

    expect(StoreError.is(error, "STORE_CLOSED")).toBe(true);
    expect(one.toolFacts("ls", {}).kind).toBe("search");
  });

  it("releases the files that a handle holds when it is disposed of, although another one is open", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "a.txt");
    await writeFile(path, "one\n");
    await using manager = await openContextManager({ store: "memory", workspace: folder.path });
    const [one, other] = [await manager.openSession(host), await manager.openSession(host)];
    await other.read({ path });
    await one.holdWrite(path);

    await one[Symbol.asyncDispose]();
    await writeFile(path, "two\nlines\n");

    await vi.waitFor(
      async () => {
        const { objects } = await other.status();
        expect(objects[0]?.stored.version).toBe(2);
      },
      { timeout: 60_000, interval: 50 },
    );
  });

  it("is opened again only after it is closed", async () => {
    await using folder = await temporaryFolder();
    await using manager = await openContextManager({
      at: join(folder.path, "store.sqlite"),
      workspace: folder.path,
    });
    const first = await manager.openSession(host);

    const closing = first[Symbol.asyncDispose]();
    const again = await Promise.all([manager.openSession(host), manager.openSession(host)]);
    await closing;

    // Its lock was released before, so the new session is not taken for one of another process.
    expect(again.map(({ isShared }) => isShared)).toEqual([false, false]);
    expect(await Promise.all(again.map(countOf))).toEqual([0, 0]);
  });
});

describe("an opened session", () => {
  it("waits at its disposal for its operations, and deletes its lock", async () => {
    await using folder = await temporaryFolder();
    const at = join(folder.path, "store.sqlite");
    await writeFile(join(folder.path, "a.txt"), "one\n");
    await using manager = await openContextManager({ at, workspace: folder.path });
    const session = await manager.openSession(host);
    const other = await manager.openSession(host);

    let isRead = false;
    const reading = session.read({ path: "a.txt" }).then(() => (isRead = true));
    await session[Symbol.asyncDispose]();
    const wasRead = isRead;
    const locks = (await readdir(`${at}.open`)).filter((name) => name.endsWith(".lock"));
    await other[Symbol.asyncDispose]();

    expect(locks).toHaveLength(1);
    expect(await readdir(`${at}.open`)).toEqual([]);
    expect([wasRead, await reading]).toEqual([true, true]);
  });

  it("can be spread by a caller that replaces some of its operations", async () => {
    await using manager = await openContextManager({ store: "memory" });
    const session = await manager.openSession(host);

    const spread: ContextSession = { ...session, isShared: true };

    expect(await spread.status()).toEqual(await session.status());
    expect(spread.host).toEqual(host);
  });

  it("is not kept if its opening fails", async () => {
    const { manager, fail } = await countedManager();
    await using _manager = manager;
    fail(true);
    const failures = await Promise.allSettled([
      manager.openSession(host),
      manager.openSession(host),
    ]);
    fail(false);

    const session = await manager.openSession(host);

    expect(failures.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await countOf(session)).toBe(0);
  });

  it("leaves no lock if its opening fails", async () => {
    await using folder = await temporaryFolder();
    const at = join(folder.path, "store.sqlite");
    await using manager = await openContextManager({ at, workspace: folder.path });
    await manager.store[Symbol.asyncDispose]();

    const opening = manager.openSession(host);

    await expect(opening).rejects.toMatchObject({ code: "STORE_CLOSED" });
    expect(await readdir(`${at}.open`)).toEqual([]);
  });
});

describe("a manager that is disposed of", () => {
  it("closes its sessions, also those that are being opened", async () => {
    await using folder = await temporaryFolder();
    const at = join(folder.path, "store.sqlite");
    const manager = await openContextManager({ at, workspace: folder.path });
    await manager.openSession(host);
    const opening = manager.openSession({ ...host, sessionId: "s2" });

    await manager[Symbol.asyncDispose]();

    await expect((await opening).status()).rejects.toMatchObject({ code: "STORE_CLOSED" });
    expect(await readdir(`${at}.open`)).toEqual([]);
  });

  it("opens no session", async () => {
    const manager = await openContextManager({ store: "memory" });
    await manager[Symbol.asyncDispose]();

    const opening = manager.openSession(host);

    await expect(opening).rejects.toMatchObject({
      code: "STORE_CLOSED",
      message: "the context manager is closed; open one with openContextManager",
    });
  });
});

/** Opens a manager on a store that counts the openings of sessions, and that can fail. */
async function countedManager(): Promise<{
  readonly manager: ContextManager;
  readonly countOpenings: () => number;
  readonly fail: (isFailing: boolean) => void;
}> {
  const memory = memoryStore({ clock: { now: () => 0 } });
  let openings = 0;
  let isFailing = false;
  const store: ObjectStore = {
    ...memory,
    find: async (query) => {
      // Sessions are found by their host's id.
      openings += 1;
      if (isFailing) throw new StoreError("STORE_BUSY", "the store is locked");
      return await memory.find(query);
    },
  };
  return {
    manager: await openContextManager({ store }),
    countOpenings: () => openings,
    fail: (given) => void (isFailing = given),
  };
}

async function countOf(session: ContextSession): Promise<number> {
  return (await session.status()).objects.length;
}
