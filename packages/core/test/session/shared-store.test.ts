import { type ObjectStore, StoreError } from "@self-context-manager/objects";
import { readList } from "../../src/host/read-list.ts";
import { memoryStore } from "@self-context-manager/store-memory";
import { describe, expect, it } from "vitest";
import { oneCall, scriptHistory } from "./script-history.ts";
import { openTestSession, plainCodec, testHost } from "./test-session.ts";
import { handlesIn, viewParts } from "./view-parts.ts";

const another = { harness: "test", sessionId: "another" };

describe("two sessions of one store", () => {
  it("show a file in the newest version of either session, with its version number", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    await opened.session.read({ path: "a.ts" });
    await opened.session.deactivate("f1");
    opened.files.set("/work/a.ts", "y\n");
    await (await opened.reopen(another)).read({ path: "a.ts" });

    await opened.session.activate("f1");

    const { activeTexts, messages } = await viewParts(opened.session);
    expect(activeTexts[0]).toBe("f1 a.ts v2\n~~~\ny\n~~~");
    expect((await (await opened.reopen()).nextView()).messages).toEqual(messages);
  });

  it("find a file again that was missing for one session and is back for the other", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    await opened.session.read({ path: "a.ts" });
    opened.files.delete("/work/a.ts");
    await opened.session.read({ path: "a.ts" });
    opened.files.set("/work/a.ts", "y\n");
    await (await opened.reopen(another)).read({ path: "a.ts" });

    expect(await opened.session.activate("f1")).toMatchObject({ ok: true });
  });

  it("keep a nickname that the other session gave to a file that is missing later", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    await opened.session.read({ path: "a.ts" });
    await (await opened.reopen(another)).name("a.ts", "plan");
    opened.files.delete("/work/a.ts");

    await opened.session.read({ path: "a.ts" });

    expect((await opened.store.lookup("plan"))?.body["presence"]).toBe("missing");
  });
});

describe("a tool call whose provider id is used already (D31)", () => {
  it("keeps its own output if another session made the same call at another time", async () => {
    const opened = await openTestSession();
    const theirs = scriptHistory(5);
    theirs.user("go");
    theirs.call("bash", { command: "date" }, "THEIRS", { id: "call_0" });
    await theirs.ingest(await opened.reopen(another));
    const history = scriptHistory(5_000);
    history.user("go");
    history.call("bash", { command: "date" }, "MINE", { id: "call_0" });

    await history.ingest(opened.session);

    const { activeTexts } = await viewParts(opened.session);
    expect(activeTexts.join("\n")).toContain("MINE");
    expect(activeTexts.join("\n")).not.toContain("THEIRS");
  });

  it("keeps its own output if another session used the id before its result arrived", async () => {
    const opened = await openTestSession();
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "MINE", { id: "call_0" });
    await opened.session.ingest(readList(history.messages.slice(0, 2), plainCodec));
    const theirs = scriptHistory(5);
    theirs.user("go");
    theirs.call("bash", { command: "b" }, "THEIRS", { id: "call_0" });
    await theirs.ingest(await opened.reopen(another));

    await history.ingest(opened.session);

    const { activeTexts, chat, messages } = await viewParts(opened.session);
    expect(activeTexts[0]).toContain("MINE");
    expect(chat.at(-1)).toMatchObject({ role: "toolResult", toolCallId: "call_0" });
    const again = await opened.reopen();
    await history.ingest(again);
    expect((await again.nextView()).messages).toEqual(messages);
  });

  it("gets another id if its id is an object's nickname", async () => {
    const { session } = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    await session.read({ path: "a.ts" });
    await session.name("f1", "call_1");

    await oneCall().ingest(session);

    expect((await viewParts(session)).activeTexts[1]).toContain("A");
  });
});

describe("one session in two processes", () => {
  it("is created once, however many processes begin it at the same time", async () => {
    const opened = await openTestSession();

    const sessions = await Promise.all([1, 2, 3].map(async () => await opened.reopen(another)));
    await Promise.all(
      sessions.map(async (one) => await one.recordSystemPrompt("host", "Be good.")),
    );

    const ids = await Promise.all(sessions.map(async (one) => (await one.status()).sessionId));
    const { items } = await opened.store.find({
      where: { type: "session", session_id: "another" },
    });
    expect([...new Set(ids)]).toEqual(items.map(({ body }) => body.id));
    expect(items).toHaveLength(1);
  });

  it("is not stored while it is only looked at", async () => {
    const { session, store } = await openTestSession();

    await session.status();
    await session.peekView();
    await session.inspect("f1");
    await session.check();
    const looked = await store.find({});
    await session.recordSystemPrompt("host", "Be good.");
    const { items } = await store.find({ where: { type: "session" } });

    expect(looked.items).toEqual([]);
    expect(items.map(({ body }) => body.id)).toEqual([(await session.status()).sessionId]);
  });

  it("continues in both: each finds the changes of the other", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n", "/work/b.ts": "y\n" } });
    const other = await opened.reopen();
    await opened.session.read({ path: "a.ts" });

    expect(await other.read({ path: "b.ts" })).toMatchObject({ ok: true });
    await opened.session.recordSystemPrompt("host", "Be good.");
    await other.pin("f1");

    expect([opened.session.isShared, other.isShared]).toEqual([true, true]);
    expect(await handlesIn(other, "active", "pinned")).toEqual(["f1", "f2"]);
    expect((await other.nextView()).messages).toEqual(
      (await (await opened.reopen()).nextView()).messages,
    );
  });

  it("reports a conflict if the other process commits first again and again", async () => {
    const store = memoryStore({ clock: { now: () => 1_700_000_000_000 } });
    const busy: ObjectStore = {
      ...store,
      commit: async (writes, options) => {
        const isFirst = writes.every(({ expect: version }) => version === 0);
        if (isFirst) return await store.commit(writes, options);
        throw new StoreError("VERSION_CONFLICT", "object a is at version 3, not 2");
      },
    };
    const { session } = await openTestSession({ store: busy });

    await expect(session.recordSystemPrompt("host", "Be good.")).rejects.toThrow(
      `another process writes to session ${testHost.sessionId} of test at the same time: object a is at version 3, not 2`,
    );
  });
});
