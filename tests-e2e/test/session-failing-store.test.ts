import {
  type FileTracker,
  type ObjectStore,
  StoreError,
  type ViewMessage,
} from "@self-context-manager/core";
import { memoryStore } from "@self-context-manager/store-memory";
import { sequenceFaults } from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import { scriptHistory } from "../src/session/script-history.ts";
import { openTestSession } from "../src/session/test-session.ts";
import { handlesIn, latest, textOfMessage } from "../src/session/view-parts.ts";

describe("a store that fails in between", () => {
  it("makes every operation reject, leaves nothing half kept, and the next call catches up", async () => {
    const wanted = await runAll(memoryStore({ clock }), 0);
    for (let failing = 1; failing <= wanted.commits; failing += 1) {
      const got = await runAll(memoryStore({ clock }), failing);

      expect(got.failures).toBe(1);
      expect(got.shown).toEqual(wanted.shown);
      expect(got.faults).toEqual([]);
    }
    expect(wanted.commits).toBeGreaterThan(5);
  });

  it("does not do later what it rejected", async () => {
    const store = memoryStore({ clock });
    const flaky = failingStore(store);
    const { session } = await openTestSession({ store: flaky.store });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(session);
    flaky.failAt(flaky.commits() + 1);

    await expect(session.deactivate("t1", { callId: "call_2" })).rejects.toThrow(StoreError);
    history.call("deactivate", { id: "t1" }, "the store is not there", { isError: true });
    await history.ingest(session);

    expect(await handlesIn(session, "active")).toContain("t1");
    expect((await latest(store, "call_2")).body.content).toBe("the store is not there");
  });

  it("keeps what an operation stored where only the files cannot be compared then", async () => {
    const store = memoryStore({ clock });
    const tracked: number[] = [];
    const tracker: Partial<FileTracker> = {
      onChange: () => () => undefined,
      adopt: async () => await Promise.resolve(undefined),
      track: async (objects) => {
        tracked.push(objects.length);
        if (tracked.length === 1)
          throw new StoreError("STORE_UNAVAILABLE", "away for a moment; try again");
        await Promise.resolve();
      },
    };
    const { session } = await openTestSession({
      store,
      files: { "/work/a.ts": "x\n" },
      tracker: tracker as FileTracker,
    });

    const answer = await session.read({ path: "a.ts" });
    await session.view();

    expect(answer.ok).toBe(true);
    expect(await handlesIn(session, "active")).toEqual(["f1"]);
    expect(tracked).toEqual([1, 1]);
  });

  it("keeps what calls of our tools told where something fails before their results come in", async () => {
    const { session } = await openTestSession({
      files: { "/work/a.ts": "x\n", "/work/b.ts": "y\n" },
    });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(session);

    const first = await session.read({ path: "a.ts" }, { callId: "call_2" });
    await session.pin("t1", { callId: "call_3" });
    await expect(session.recordWrite("gone.ts")).rejects.toThrow("gone.ts");
    const second = await session.read({ path: "b.ts" }, { callId: "call_4" });
    await session.unpin("t1", { callId: "call_5" });
    await expect(session.recordWrite("gone.ts")).rejects.toThrow("gone.ts");
    history.call("read", { path: "a.ts" }, first.text);
    history.call("pin", { id: "t1" }, "pinned");
    history.call("read", { path: "b.ts" }, second.text);
    history.call("unpin", { id: "t1" }, "not pinned");
    await history.ingest(session);

    expect(first.text).toContain("f1 a.ts");
    expect(second.text).toContain("f2 b.ts");
    const { objects } = await session.status();
    const path = (handle: string): unknown =>
      objects.find((one) => one.handle === handle)?.stored.body["path"];
    expect([path("f1"), path("f2")]).toEqual(["/work/a.ts", "/work/b.ts"]);
    expect(await handlesIn(session, "pinned")).toEqual([]);
  });

  it("commits a system prompt only where it is another", async () => {
    const { store, commits } = failingStore(memoryStore({ clock }));
    const { session } = await openTestSession({ store });
    await session.recordSystemPrompt("host", "Be good.");
    const first = commits();

    await session.recordSystemPrompt("host", "Be good.");
    const same = commits();
    await session.recordSystemPrompt("host", "Be better.");

    expect([same - first, commits() - same]).toEqual([0, 1]);
  });
});

const clock = { now: () => 1_700_000_000_000 };

interface FailingStore {
  readonly store: ObjectStore;
  readonly commits: () => number;
  readonly failAt: (commit: number) => void;
}

/** A store whose nth commit is refused, as when its disk is full. */
function failingStore(inner: ObjectStore): FailingStore {
  let commits = 0;
  let failing = 0;
  const store: ObjectStore = Object.assign(Object.create(inner) as ObjectStore, {
    commit: async (...args: Parameters<ObjectStore["commit"]>) => {
      commits += 1;
      if (commits === failing) throw new StoreError("STORE_FULL", "the disk is full");
      return await inner.commit(...args);
    },
  });
  return { store, commits: () => commits, failAt: (commit) => void (failing = commit) };
}

/** Runs a session whose nth commit fails, trying each operation again once. */
async function runAll(
  inner: ObjectStore,
  failing: number,
): Promise<{
  readonly commits: number;
  readonly failures: number;
  readonly shown: readonly string[];
  readonly faults: readonly string[];
}> {
  const flaky = failingStore(inner);
  let failures = 0;
  const opened = await openTestSession({
    store: flaky.store,
    files: { "/work/a.ts": "x\n", "/work/b.ts": "y\n" },
  });
  const { session } = opened;
  const start = flaky.commits();
  flaky.failAt(failing === 0 ? 0 : start + failing);
  const attempt = async (operation: () => Promise<unknown>): Promise<void> => {
    try {
      await operation();
    } catch (error) {
      if (!StoreError.is(error, "STORE_FULL")) throw error;
      failures += 1;
      await operation();
    }
  };
  const history = scriptHistory();
  history.user("go");
  await attempt(async () => await history.ingest(session));
  history.call("bash", { command: "a" }, "A");
  history.call("bash", { command: "b" }, "B");
  await attempt(async () => await history.ingest(session));
  await attempt(async () => await session.read({ path: "a.ts" }));
  await attempt(async () => await session.recordNamed(["b.ts"]));
  await attempt(async () => await session.activate("b.ts"));
  await attempt(async () => await session.deactivate("t1"));
  await attempt(async () => await session.pin("t2"));
  await attempt(async () => await session.recordSystemPrompt("host", "Be good."));
  history.say("done");
  history.user("more");
  history.call("bash", { command: "c" }, "C");
  await attempt(async () => await history.ingest(session));
  const messages: ViewMessage[] = [];
  await attempt(async () => void messages.push(...(await session.view()).messages));
  const again = await opened.reopen();
  const looked = { isSent: false };
  const same = JSON.stringify((await again.view(looked)).messages) === JSON.stringify(messages);
  return {
    commits: flaky.commits() - start,
    failures,
    shown: messages.map(textOfMessage),
    faults: [...sequenceFaults(messages), ...(same ? [] : ["a resume shows something else"])],
  };
}
