import { objectId, sealObject } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { oneCall, scriptHistory } from "./script-history.ts";
import { openTestSession, otherHost, type TestSession } from "./test-session.ts";
import { handlesIn, idOf, latest, textOfMessage } from "./view-parts.ts";

const files = { "/work/a.ts": "let a = 1;\n", "/work/b.md": "# b\n", "/work/logo.png": null };

/** Opens a session on a store in which another session has a call `call_0`. */
async function openBesideOther(): Promise<TestSession> {
  const opened = await openTestSession();
  const other = scriptHistory();
  other.user("other");
  other.call("bash", { command: "a" }, "of the other session", { id: "call_0" });
  await other.ingest(await opened.reopen(otherHost));
  return opened;
}

describe("a target", () => {
  it("can be a handle, an id, the beginning of an id, a nickname or a path (D45)", async () => {
    const { session, store } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "A", { id: "toolu_01ABCDEF" });
    await history.ingest(session);
    await session.read({ path: "a.ts" });
    const file = await idOf(session, "f1");
    await session.name("f1", "the plan");

    for (const target of ["f1", "@f1", file, "the plan", "a.ts", "./a.ts", "/work/a.ts", " f1 "]) {
      expect([target, (await session.activate(target)).ok]).toEqual([target, true]);
    }
    for (const target of ["t1", "toolu_01ABCDEF", "toolu_01"]) {
      expect([target, (await session.activate(target)).ok]).toEqual([target, true]);
    }
    expect((await latest(store, file)).body.nickname).toBe("the plan");
  });

  it("that is the provider id of an own call means that call, not the object of another session", async () => {
    const opened = await openBesideOther();
    const history = scriptHistory(1_800_000_000_000);
    history.user("go");
    history.call("bash", { command: "b" }, "own", { id: "call_0" });
    await history.ingest(opened.session);
    await opened.session.deactivate("t1");

    const answer = await opened.session.activate("call_0");

    expect(answer.text).toBe('t1 bash "b" is now active.');
    expect(JSON.stringify((await opened.session.nextView()).messages)).not.toContain(
      "of the other",
    );
  });

  it("that is the provider id of an own call without a result means no object", async () => {
    const opened = await openBesideOther();
    const history = scriptHistory(1_800_000_000_000);
    history.user("go");
    history.push({
      role: "assistant",
      content: [{ type: "toolCall", id: "call_0", name: "bash", arguments: { command: "b" } }],
      meta: {},
      timestamp: 1_800_000_000_100,
    });
    await history.ingest(opened.session);

    expect(await opened.session.activate("call_0")).toMatchObject({ ok: false });
  });

  it("can be the path of a note that only the store has (D16, D41)", async () => {
    const { session, store } = await openTestSession();
    await store.commit([
      {
        object: sealObject({
          id: objectId("note-1"),
          type: "note",
          locked: false,
          content: "# Plan\n",
          path: "/work/plan.md",
          char_count: 7,
          provenance: { origin: "a program", generator: "human" },
        }),
      },
    ]);

    const answer = await session.activate("plan.md");

    expect(answer).toMatchObject({ ok: true, text: "n1 plan.md is now active." });
    expect(await handlesIn(session, "active")).toEqual(["n1"]);
  });

  it("that is unknown or ambiguous is refused with candidates (D45)", async () => {
    const { session } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "A", { id: "toolu_01AA" });
    history.call("bash", { command: "b" }, "B", { id: "toolu_01BB" });
    await history.ingest(session);
    await session.recordNamed(["a.ts", "b.md"]);

    const ambiguous = await session.activate("toolu_01");
    const misplaced = await session.activate("src/a.ts");
    const unknown = await session.deactivate("f99");
    const unnamed = await session.activate("");

    expect(ambiguous.text).toBe(
      '"toolu_01" is the beginning of several ids: t1, t2. Give one of these handles.',
    );
    expect(misplaced.text).toMatch(/No object is known as "src\/a.ts". Did you mean f1\?/u);
    expect(unknown.text).toMatch(/No object is known as "f99"/u);
    expect(unnamed.text).toMatch(/^No object was named\. Give a handle that/u);
    expect([ambiguous.ok, misplaced.ok, unknown.ok]).toEqual([false, false, false]);
  });

  it("that only the store has is loaded, then activated (D41)", async () => {
    const opened = await openTestSession({ files });
    await opened.session.read({ path: "a.ts" });
    const session = await opened.reopen(otherHost);

    const answer = await session.activate("a.ts");

    expect(answer.text).toBe("f1 a.ts is now active.");
    expect(await handlesIn(session, "active")).toEqual(["f1"]);
  });

  it("that is locked in another session is refused and does not join the pool", async () => {
    const opened = await openTestSession();
    const { chatId } = await opened.session.status();
    const session = await opened.reopen(otherHost);

    const activated = await session.activate(chatId);
    const loaded = await session.load(chatId);

    expect([activated.ok, loaded.ok]).toEqual([false, false]);
    expect(activated.text).not.toContain("always in the context");
    expect((await session.status()).objects).toEqual([]);
  });

  it("is loaded as inactive by a program (D41)", async () => {
    const opened = await openTestSession({ files });
    await opened.session.read({ path: "a.ts" });
    const session = await opened.reopen(otherHost);

    await session.load("a.ts");

    expect(await handlesIn(session, "inactive")).toEqual(["f1"]);
  });

  it("that was loaded as inactive has its line once, also if the session is opened again (D6)", async () => {
    const opened = await openTestSession({ files, layout: epochLayout() });
    await opened.session.read({ path: "a.ts" });
    const loading = await opened.reopen(otherHost);
    const history = scriptHistory();
    history.user("go");
    await history.ingest(loading);
    await loading.load("a.ts");

    const session = await opened.reopen(otherHost);
    const first = (await session.nextView()).messages.map(textOfMessage);
    history.say("done");
    await history.ingest(session);
    const second = (await session.nextView()).messages.map(textOfMessage);
    const again = await opened.reopen(otherHost);
    history.user("more");
    await history.ingest(again);
    const third = (await again.nextView()).messages.map(textOfMessage);

    expect(first).toEqual(["go", "[f1 a.ts 11]"]);
    expect(second).toEqual([...first, "done"]);
    expect(third).toEqual([...second, "more"]);
  });

  it("never means another object later, because handles are not used again", async () => {
    const opened = await openTestSession();
    const { session } = opened;
    const history = oneCall();
    await history.ingest(session);
    history.user("two");
    history.call("bash", { command: "b" }, "B");
    await history.ingest(session);
    const branch = scriptHistory(1_800_000_000_000);
    branch.messages.push(...history.messages.slice(0, 3));
    branch.user("other");
    branch.call("bash", { command: "c" }, "C", { id: "call_c" });

    await branch.ingest(session);
    const again = await opened.reopen();
    branch.call("bash", { command: "d" }, "D", { id: "call_d" });
    await branch.ingest(again);

    expect((await again.status()).objects.map(({ handle }) => handle)).toEqual(["t1", "t3", "t4"]);
    expect((await again.activate("t2")).ok).toBe(false);
  });
});
