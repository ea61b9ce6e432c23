import { describe, expect, it } from "vitest";
import { chatAbout, oneCall, scriptHistory } from "../session/script-history.ts";
import { openTestSession, otherHost } from "../session/test-session.ts";
import { handlesIn, storedSession, versionCount, viewParts } from "../session/view-parts.ts";

describe("a session that is resumed", () => {
  it("has the same pools and sets, and sends the same bytes", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n", "/work/b.ts": "y\n" } });
    const { session } = opened;
    const history = scriptHistory();
    history.user("go");
    for (let call = 0; call < 7; call += 1) history.call("bash", { call }, `out ${call}`);
    await history.ingest(session);
    await session.read({ path: "a.ts" });
    await session.pin("t1");
    await session.deactivate("t7");
    await session.activate("t2");
    await session.recordNamed(["b.ts"]);
    const view = await session.nextView();
    const status = await session.status();
    const before = await versionCount(opened.store);

    const again = await opened.reopen();
    await history.ingest(again);

    expect(JSON.stringify((await again.nextView()).messages)).toBe(JSON.stringify(view.messages));
    expect(await again.status()).toEqual(status);
    expect(await versionCount(opened.store)).toBe(before);
  });

  it("keeps inactive objects inactive and can activate them", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    const history = oneCall();
    await history.ingest(opened.session);
    await opened.session.read({ path: "a.ts" });
    await opened.session.deactivate("t1");
    await opened.session.deactivate("f1");

    const again = await opened.reopen();
    await history.ingest(again);

    expect(await handlesIn(again, "active")).toEqual([]);
    expect((await again.activate("t1")).ok).toBe(true);
    expect((await again.activate("f1")).ok).toBe(true);
    expect((await viewParts(again)).activeTexts).toEqual([
      't1 bash "a"\n~~~\nA\n~~~',
      "f1 a.ts v1\n~~~\nx\n~~~",
      "Active: t1 f1.",
    ]);
  });

  it("shows lines of the chat at the same place as the running session", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    const history = chatAbout("one");
    await history.ingest(opened.session);
    await opened.session.read({ path: "a.ts" });
    await opened.session.activate("chat", { from: 1, to: 2 });
    history.user("two");
    await history.ingest(opened.session);
    const view = await opened.session.nextView();

    const again = await opened.reopen();

    expect(JSON.stringify((await again.nextView()).messages)).toBe(JSON.stringify(view.messages));
    expect((await again.deactivate("chat")).ok).toBe(true);
    expect((await viewParts(again)).activeTexts.join()).not.toContain("lines 1-2");
  });

  it("is separate from other sessions of the same store (D50)", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    const history = oneCall();
    await history.ingest(opened.session);
    await opened.session.read({ path: "a.ts" });

    const other = await opened.reopen(otherHost);
    const elsewhere = await opened.reopen({ harness: "other", sessionId: "session-1" });

    expect((await other.nextView()).messages).toEqual([]);
    expect((await elsewhere.nextView()).messages).toEqual([]);
    expect((await storedSession(opened.store, other))["pool"]).toEqual([]);
    expect((await other.activate("f1")).ok).toBe(false);
  });

  it("applies the effects of context tools again when a fork sends its history for the first time", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    const history = oneCall();
    await history.ingest(opened.session);
    await history.read(opened.session, "a.ts");
    await history.ask(
      "deactivate",
      { id: "t1" },
      async (callId) => await opened.session.deactivate("t1", { callId }),
    );
    await history.ingest(opened.session);

    const fork = await opened.reopen(otherHost);
    await history.ingest(fork);

    const names = (await fork.status()).objects.map(({ stored, state }) => [
      stored.body["tool"] ?? stored.body["path"],
      state,
    ]);
    expect(names).toEqual([
      ["bash", "inactive"],
      ["read", "inactive"],
      ["/work/a.ts", "active"],
      ["deactivate", "inactive"],
    ]);
  });
});
