import { type ObjectStore, silentLogger, StoreError } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { type FileTracker, fileTracker } from "@self-context-manager/tracker";
import { describe, expect, it } from "vitest";
import type { HostSession } from "../../src/host/host-session.ts";
import { readList } from "../../src/host/read-list.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { openContextSession } from "../../src/session/open-context-session.ts";
import { fakeTracker } from "./fake-tracker.ts";
import { openTestSession, otherHost, plainCodec, testHost } from "./test-session.ts";
import { type WatchedFiles, watchedFiles } from "./watched-files.ts";

describe("a session that is closed", () => {
  it("has finished the operations that ran", async () => {
    const { session } = await openTestSession({ files: { "/work/a.txt": "one\n" } });

    const reading = session.read({ path: "a.txt" });
    await session[Symbol.asyncDispose]();

    const unfinished = Promise.resolve("unfinished");
    expect(await Promise.race([reading, unfinished])).toMatchObject({ ok: true });
  });

  it.each<readonly [string, (session: ContextSession) => Promise<unknown>]>([
    ["read", async (session) => await session.read({ path: "a.txt" })],
    ["ingest", async (session) => await session.ingest(readList([], plainCodec))],
    ["nextView", async (session) => await session.nextView()],
    ["status", async (session) => await session.status()],
    ["holdWrite", async (session) => await session.holdWrite("a.txt")],
    ["checkArguments", async (session) => await session.checkArguments("write", {})],
  ])("rejects %s, and names itself and the remedy", async (_name, operation) => {
    const { session } = await openTestSession();
    await session[Symbol.asyncDispose]();

    const error = await operation(session).catch((cause: unknown) => cause);

    expect(StoreError.is(error, "STORE_CLOSED")).toBe(true);
    expect(error).toMatchObject({ message: "session session-1 of test is closed; open it again" });
  });

  it("can be closed again, and opened again on its store", async () => {
    const opened = await openTestSession({ files: { "/work/a.txt": "one\n" } });
    const { session } = opened;
    await session.read({ path: "a.txt" });

    await session[Symbol.asyncDispose]();
    await session[Symbol.asyncDispose]();

    const { objects } = await (await opened.reopen()).status();
    expect(objects.map(({ handle, state }) => [handle, state])).toEqual([["f1", "active"]]);
  });

  it("leaves the files to its tracker that another session follows, and no others", async () => {
    const { known, open, tracker } = await trackedSessions();
    const [one, other] = [await open(testHost), await open(otherHost)];
    await one.read({ path: "a.txt" });
    await one.read({ path: "b.txt" });
    await other.read({ path: "b.txt" });

    await one[Symbol.asyncDispose]();
    await tracker.ready();
    const afterOne = [...known.keys()];
    await other[Symbol.asyncDispose]();
    await tracker.ready();

    expect([afterOne, [...known.keys()]]).toEqual([["/work/b.txt"], []]);
  });

  it("holds no write, and the hold can still be disposed of", async () => {
    const { disk, open, store } = await trackedSessions();
    const [one, other] = [await open(testHost), await open(otherHost)];
    await other.read({ path: "a.txt" });
    const hold = await one.holdWrite("a.txt");
    disk.write("/work/a.txt", "changed\n");

    await one[Symbol.asyncDispose]();

    const found = await store.find({ where: { path: "/work/a.txt" } });
    expect(found.items.map(({ version }) => version)).toEqual([2]);
    await expect(hold[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });

  it("is not in its tracker after an opening that failed", async () => {
    const { session, dependencies } = await openTestSession({ files: { "/work/a.txt": "one\n" } });
    await session.read({ path: "a.txt" });
    const tracker = fakeTracker();
    tracker.fail(new StoreError("STORE_BUSY", "the store is locked"));

    const opening = openContextSession({ ...dependencies, tracker }, testHost);

    await expect(opening).rejects.toMatchObject({ code: "STORE_BUSY" });
    expect(tracker.listening()).toBe(0);
  });
});

/** Opens sessions that share a tracker of the files `a.txt` and `b.txt`. */
async function trackedSessions(): Promise<{
  readonly disk: WatchedFiles;
  readonly known: ReadonlyMap<string, unknown>;
  readonly store: ObjectStore;
  readonly tracker: FileTracker;
  readonly open: (host: HostSession) => Promise<ContextSession>;
}> {
  const disk = watchedFiles({ "/work/a.txt": "one\n", "/work/b.txt": "one\n" });
  const { files } = disk;
  const watcher = disk.watch();
  const store = memoryStore({ clock: { now: () => disk.now } });
  const { dependencies } = await openTestSession({ store });
  const { ids } = dependencies;
  const tracker = fileTracker({
    store,
    files,
    watcher,
    ids,
    logger: silentLogger,
    workspace: "/work",
  });
  return {
    disk,
    known: watcher.known,
    store,
    tracker,
    open: async (host) => await openContextSession({ ...dependencies, files, tracker }, host),
  };
}
