import { FileError, type ObjectStore } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { type FileTracker, fileTracker } from "@self-context-manager/tracker";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { openContextSession } from "../../src/session/open-context-session.ts";
import { openTestSession, otherHost, testHost, type TestSession } from "../session/test-session.ts";
import { type WatchedFiles, watchedFiles } from "../session/watched-files.ts";

/** A store that runs an action once, before the next commit of a file with some text. */
function interrupted(): {
  readonly store: ObjectStore;
  readonly before: (text: string, act: Action) => void;
} {
  const store = memoryStore({ clock: { now: () => 1_700_000_000_000 } });
  let waiting: { readonly text: string; readonly act: Action } | undefined;
  return {
    before: (text, act) => void (waiting = { text, act }),
    store: {
      ...store,
      async commit(writes, options) {
        const due = waiting;
        if (due !== undefined && writes.some(({ object }) => object.body.content === due.text)) {
          waiting = undefined;
          await due.act();
        }
        return await store.commit(writes, options);
      },
    },
  };
}

type Action = () => Promise<unknown>;

async function contentsOf({ store }: Pick<TestSession, "store">, path: string): Promise<unknown[]> {
  const [file] = (await store.find({ where: { path } })).items;
  if (file === undefined) throw new Error(`there is no object at ${path}`);
  const contents: unknown[] = [];
  for (let version = 1; version <= file.version; version += 1)
    contents.push((await store.get(file.body.id, { version }))?.body.content);
  return contents;
}

describe("a session that indexes a file while another one stores its next version", () => {
  async function twoSessions(): Promise<
    TestSession & ReturnType<typeof interrupted> & { other: TestSession["session"] }
  > {
    const { store, before } = interrupted();
    const opened = await openTestSession({ files: { "/work/a.txt": "one" }, store });
    await opened.session.read({ path: "a.txt" });
    return { ...opened, before, other: await opened.reopen(otherHost) };
  }

  it("does not store its older content after the newer one", async () => {
    const { files, before, session, other, store } = await twoSessions();
    files.set("/work/a.txt", "two");
    before("two", async () => {
      files.set("/work/a.txt", "three");
      await other.read({ path: "a.txt" });
    });

    await session.read({ path: "a.txt" });

    expect(await contentsOf({ store }, "/work/a.txt")).toEqual(["one", "three"]);
    expect((await session.status()).objects[0]?.stored.version).toBe(2);
  });

  it("gives a write of the model no version if the file has a later content already", async () => {
    const { files, before, session, other, store } = await twoSessions();
    files.set("/work/a.txt", "two");
    before("two", async () => {
      files.set("/work/a.txt", "three");
      await other.read({ path: "a.txt" });
    });

    await session.recordWrite("a.txt", { callId: "w1", args: { content: "two" } });

    const { items } = await store.find({ where: { path: "/work/a.txt" } });
    expect(items[0]?.body.provenance.generator).toBe("human");
    expect(await contentsOf({ store }, "/work/a.txt")).toEqual(["one", "three"]);
  });

  it("keeps a nickname that the other one gave meanwhile", async () => {
    const { files, before, session, other, store } = await twoSessions();
    await other.read({ path: "a.txt" });
    files.set("/work/a.txt", "two");
    before("two", async () => await other.name("f1", "plan"));

    await session.read({ path: "a.txt" });

    const { items } = await store.find({ where: { path: "/work/a.txt" } });
    expect(items[0]?.body.nickname).toBe("plan");
  });

  it("does not record a file as missing that the other one has found again", async () => {
    const { files, session, other, store } = await twoSessions();
    const read = files.read.bind(files);
    Object.assign(files, {
      // The file is away for a moment, and back when the other session reads it.
      read: async (path: string) => {
        Object.assign(files, { read });
        files.set("/work/a.txt", "two");
        await other.read({ path });
        throw new FileError("FILE_MISSING", `There is no file at ${path}.`);
      },
    });

    await session.read({ path: "/work/a.txt" });

    expect(await contentsOf({ store }, "/work/a.txt")).toEqual(["one", "two"]);
  });
});

describe("two sessions and their trackers on one store", () => {
  it("never store an older content after a newer one, and end with the content of the disk", async () => {
    const step = fc.constantFrom("write", "read-1", "read-2", "check-1", "check-2", "record-1");
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 25 }),
        fc.array(fc.nat(6), { minLength: 20, maxLength: 40 }),
        async (steps, pauses) => {
          const { disk, store, sessions, trackers } = await together(pauses);
          let count = 0;
          const act = {
            write: async (): Promise<void> => {
              count += 1;
              disk.now += 5_000;
              disk.write("/work/a.txt", `${count} ${"x".repeat(count)}`);
              await Promise.resolve();
            },
            "read-1": async () => await sessions[0]?.read({ path: "a.txt" }),
            "read-2": async () => await sessions[1]?.read({ path: "a.txt" }),
            "record-1": async () => await sessions[0]?.recordWrite("a.txt", { args: {} }),
            "check-1": async () => await trackers[0]?.check(),
            "check-2": async () => await trackers[1]?.check(),
          };
          const running: Promise<unknown>[] = [];
          for (const [index, name] of steps.entries()) {
            running.push(act[name]());
            for (let wait = pauses[index % pauses.length] ?? 0; wait > 0; wait -= 1)
              await Promise.resolve();
          }
          await Promise.all(running);
          for (const tracker of trackers) await tracker.check();

          const contents = (await contentsOf({ store }, "/work/a.txt")).map(numberOf);
          expect(contents).toEqual([...new Set(contents)].toSorted((a, b) => a - b));
          expect(contents.at(-1)).toBe(count);
        },
      ),
      { numRuns: propertyRuns(100) },
    );
  });
});

function numberOf(content: unknown): number {
  return Number.parseInt(String(content), 10);
}

/** Opens two sessions, each with its tracker, on one disk and one store that answers after some pauses. */
async function together(pauses: readonly number[]): Promise<{
  readonly disk: WatchedFiles;
  readonly store: ObjectStore;
  readonly sessions: readonly ContextSession[];
  readonly trackers: readonly FileTracker[];
}> {
  const disk = watchedFiles({ "/work/a.txt": "0 " });
  const memory = memoryStore({ clock: { now: () => disk.now } });
  let calls = 0;
  const pause = async (): Promise<void> => {
    calls += 1;
    for (let wait = pauses[calls % pauses.length] ?? 0; wait > 0; wait -= 1)
      await Promise.resolve();
  };
  const store: ObjectStore = {
    ...memory,
    find: async (query) => {
      await pause();
      return await memory.find(query);
    },
    describe: async (ids) => {
      await pause();
      return await memory.describe(ids);
    },
    commit: async (writes, options) => {
      await pause();
      return await memory.commit(writes, options);
    },
  };
  const { dependencies } = await openTestSession({ store });
  const { ids, logger } = dependencies;
  const sessions: ContextSession[] = [];
  const trackers: FileTracker[] = [];
  for (const host of [testHost, otherHost]) {
    const { files } = disk;
    const tracker = fileTracker({
      store,
      files,
      watcher: disk.watch(),
      ids,
      logger,
      workspace: "/work",
    });
    const session = await openContextSession({ ...dependencies, files, tracker }, host);
    await session.read({ path: "a.txt" });
    await session.nextView();
    sessions.push(session);
    trackers.push(tracker);
  }
  return { disk, store, sessions, trackers };
}
