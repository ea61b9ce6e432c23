import { StoreError } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { describe, expect, it } from "vitest";
import { failingStore } from "./failing-store.ts";
import { fakeTracker } from "./fake-tracker.ts";
import { oneCall } from "./script-history.ts";
import { openTestSession } from "./test-session.ts";
import { handlesIn, latest } from "./view-parts.ts";

const clock = { now: () => 1_700_000_000_000 };

describe("a store that fails between operations", () => {
  it("does not apply a rejected operation later", async () => {
    const store = memoryStore({ clock });
    const flaky = failingStore(store);
    const { session } = await openTestSession({ store: flaky.store });
    const history = oneCall();
    await history.ingest(session);
    flaky.failAt(flaky.commits() + 1);

    await expect(session.deactivate("t1", { callId: "call_2" })).rejects.toThrow(StoreError);
    history.call("deactivate", { id: "t1" }, "the store is not there", { isError: true });
    await history.ingest(session);

    expect(await handlesIn(session, "active")).toContain("t1");
    expect((await latest(store, "call_2")).body.content).toBe("the store is not there");
  });

  it("keeps the effect of an operation if only the later check of the files fails", async () => {
    const tracker = fakeTracker();
    const { session } = await openTestSession({ files: { "/work/a.ts": "x\n" }, tracker });
    tracker.fail(new StoreError("STORE_UNAVAILABLE", "away for a moment; try again"));

    const answer = await session.read({ path: "a.ts" });
    tracker.fail();
    await session.nextView();

    expect(answer.ok).toBe(true);
    expect(await handlesIn(session, "active")).toEqual(["f1"]);
    expect(tracker.tracked).toEqual(["/work/a.ts"]);
  });

  it("keeps the reports of context tools if an operation fails before their results arrive", async () => {
    const { session } = await openTestSession({
      files: { "/work/a.ts": "x\n", "/work/b.ts": "y\n" },
    });
    const history = oneCall();
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

  it("commits a system prompt only if its text differs", async () => {
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
