import { isReference, type ObjectId, sealObject } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { contextCommand } from "../../src/adapters/context-command.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { openClockedSession } from "./clocked-session.ts";
import { numberedLines } from "./fake-files.ts";
import { oneCall, scriptHistory } from "./script-history.ts";
import { openTestSession, otherHost } from "./test-session.ts";
import { latest, storedSession, textOfMessage } from "./view-parts.ts";

/** Runs the user's command on a session. */
async function command(args: string, session: ContextSession): Promise<string> {
  return await contextCommand(args, {
    host: "Pi",
    command: "context",
    isOn: () => true,
    turn: async () => await Promise.resolve(""),
    session: async () => await Promise.resolve(session),
    figures: async () => await Promise.resolve(undefined),
    sendsOwn: () => undefined,
    isCompacted: () => false,
    inspect: async () => await Promise.resolve(""),
  });
}

const files = { "/work/a.ts": "one\n", "/work/b.ts": "two\n" };

describe("a note of an object (§6.5)", () => {
  it("is one line in a new version, which differs in nothing else", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    await session.name("f1", "start");
    const before = await session.inspect("f1");

    const answer = await session.note("f1", " the start\n of it ");

    expect(answer).toEqual({ ok: true, text: 'f1 has the note "the start of it".', effects: [] });
    const after = await session.inspect("f1");
    if (!("body" in before) || !("body" in after)) throw new Error("f1 is not stored");
    expect(after.version).toBe(before.version + 1);
    expect(after.body).toEqual({
      ...before.body,
      short_summary: "the start of it",
      summary_provenance: { by: "user", version: 2 },
      view: ["short_summary"],
    });
    const [object] = (await session.status()).objects;
    expect(object?.stored.body["short_summary"]).toBe("the start of it");
  });

  it("adds no version if it is written again", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    await session.note("f1", "the start");

    await session.note("f1", "the start");

    expect(await session.inspect("f1")).toMatchObject({ version: 2 });
  });

  it("is removed by an empty text, with its name in the view", async () => {
    const { session, store } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    const before = await session.inspect("f1");
    if (!("body" in before)) throw new Error("f1 is not stored");
    await session.note("f1", "the start");

    const answer = await session.note("f1", " ");

    expect(answer.text).toBe("f1 has no note.");
    expect((await latest(store, before.body.id)).body).toEqual(before.body);
  });

  it("is the first field of a view that names others, and the last to leave it", async () => {
    const { session, store } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    const found = await session.inspect("f1");
    if (!("body" in found)) throw new Error("f1 is not stored");
    await store.commit([
      { object: sealObject({ ...found.body, owner: "Ada", view: ["owner"] }), expect: 1 },
    ]);

    await session.note("f1", "the start");
    const noted = (await latest(store, found.body.id)).body.view;
    await session.note("f1", "");

    expect(noted).toEqual(["short_summary", "owner"]);
    expect((await latest(store, found.body.id)).body.view).toEqual(["owner"]);
  });

  it("stays with a file that is changed, moved or deleted", async () => {
    const opened = await openTestSession({ files });
    const { session } = opened;
    await session.read({ path: "a.ts" });
    await session.note("f1", "the start");
    opened.files.set("/work/a.ts", "one\nmore\n");
    await session.read({ path: "a.ts" });
    const changed = await session.inspect("f1");
    opened.files.delete("/work/a.ts");
    await session.read({ path: "a.ts" });

    const missing = await session.inspect("f1");

    const noted = { short_summary: "the start", view: ["short_summary"] };
    expect(changed).toMatchObject({ version: 3, body: { ...noted, content: "one\nmore\n" } });
    expect(missing).toMatchObject({ version: 4, body: { ...noted, presence: "missing" } });
  });

  it("is refused if it has more than 60 tokens, and nothing is written", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    const most = "seven ".repeat(40).trim();

    const fits = await session.note("f1", most);
    const refused = await session.note("f1", `${most} seven`);

    expect(fits.ok).toBe(true);
    expect(refused).toMatchObject({
      ok: false,
      text: expect.stringMatching(
        /^No note was written: a note has at most 60 tokens, about 200 characters, and this one has 61\.$/u,
      ),
    });
    expect(await session.inspect("f1")).toMatchObject({
      version: 2,
      body: { short_summary: most },
    });
  });

  it("is refused for an unknown object and for locked ones, of this session and of others", async () => {
    const opened = await openTestSession({ files });
    const { session, store } = opened;
    await session.nextView();
    const { view_ref: view } = await storedSession(store, session);
    const viewId = isReference(view) ? view.id : "";
    const other = await opened.reopen(otherHost);
    const { chatId } = await session.status();

    const answers = [
      await session.note("nothing", "text"),
      await session.note("chat", "text"),
      await session.note(viewId, "text"),
      await other.note(chatId, "text"),
      await other.note(viewId, "text"),
    ];

    expect(answers.map(({ ok }) => ok)).toEqual([false, false, false, false, false]);
    for (const id of [chatId, viewId as ObjectId])
      expect((await latest(store, id)).body["short_summary"]).toBeUndefined();
  });

  it("is written on the newest version if another session changed the object", async () => {
    const opened = await openTestSession({ files });
    const { session } = opened;
    await session.read({ path: "a.ts" });
    await (await opened.reopen(otherHost)).name("a.ts", "start");

    await session.note("f1", "the start");

    expect(await session.inspect("f1")).toMatchObject({
      version: 3,
      body: { nickname: "start", short_summary: "the start" },
    });
  });
});

describe("a deactivation with a note", () => {
  it("writes the note of the model and deactivates the object", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    const tool = session.tools().find(({ name }) => name === "deactivate");

    const answer = await tool?.run({ id: "f1", note: "the start" }, "call_1");

    expect(answer).toMatchObject({
      ok: true,
      text: "f1 a.ts is inactive; activate f1 restores it. Its note is kept.",
      effects: [{ op: "deactivate" }],
    });
    const [object] = (await session.status()).objects;
    expect(object).toMatchObject({ state: "inactive", stored: { version: 2 } });
    expect(object?.stored.body).toMatchObject({
      short_summary: "the start",
      summary_provenance: { by: "model", version: 1 },
    });
  });

  it("writes no note if the tool gets an empty one", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    await session.note("f1", "the start");
    const tool = session.tools().find(({ name }) => name === "deactivate");

    await tool?.run({ id: "f1", note: "" }, "call_1");

    expect(await session.inspect("f1")).toMatchObject({ body: { short_summary: "the start" } });
  });

  it("leaves the object active if the note is refused", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "a.ts" });

    const answer = await session.deactivate("f1", { note: "seven ".repeat(90) });

    expect(answer.ok).toBe(false);
    expect((await session.status()).objects).toMatchObject([
      { state: "active", stored: { version: 1 } },
    ]);
  });

  it("writes nothing if the object cannot be deactivated", async () => {
    const opened = await openTestSession({ files });
    await opened.session.read({ path: "a.ts" });
    const other = await opened.reopen(otherHost);

    const answers = [
      await other.deactivate("a.ts", { note: "the start" }),
      await opened.session.deactivate("chat", { note: "the start" }),
    ];

    expect(answers.map(({ ok }) => ok)).toEqual([false, false]);
    expect(await opened.session.inspect("f1")).toMatchObject({ version: 1 });
    expect((await other.status()).objects).toEqual([]);
  });

  it("leaves the lines of the chat open, because the chat has no note", async () => {
    const { session } = await openTestSession({ files });
    await oneCall().ingest(session);
    await session.activate("chat", { from: 1, to: 1 });

    const answer = await session.deactivate("chat", { note: "the start" });

    expect(answer).toMatchObject({ ok: false, text: "the chat is locked and has no note." });
    expect(await session.deactivate("chat")).toMatchObject({ ok: true });
  });

  it("takes the newest version by its number", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "a.ts" });

    await session.deactivate("f1@1", { note: "the start" });

    expect(await session.inspect("f1")).toMatchObject({ body: { short_summary: "the start" } });
  });
});

describe("the user's command", () => {
  it("writes a note, shows it and removes it", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "a.ts" });

    const answers = [
      await command("note f1 the  start of it", session),
      await command("show f1", session),
      await command("note f1", session),
      await command("show f1", session),
      await command("note", session),
    ];

    expect(answers[0]).toBe('f1 has the note "the start of it".');
    expect(answers[1]?.split("\n").slice(1)).toEqual(["Note: the start of it", "one", ""]);
    expect(answers[2]).toBe("f1 has no note.");
    expect(answers[3]?.split("\n").slice(1)).toEqual(["one", ""]);
    expect(answers[4]).toContain("/context note HANDLE TEXT");
  });
});

describe("the view", () => {
  it("keeps its bytes until the epoch ends; then the line of the result has the note", async () => {
    const opened = await openClockedSession(6, 1, epochLayout({ small: 0 }));
    const { session, history } = opened;
    history.user("run the tests");
    history.call("bash", { command: "npm test" }, numberedLines(60));
    const first = (await opened.send()).messages;
    await history.ask(
      "deactivate",
      { id: "t1", note: "42 tests fail" },
      async (callId) => await session.deactivate("t1", { callId, note: "42 tests fail" }),
    );
    const second = (await opened.send()).messages;
    history.say("done");
    history.user("go on");
    opened.time += 3_600_000;

    const third = (await opened.send()).messages;

    expect(second.slice(0, first.length)).toEqual(first);
    expect(second.map(textOfMessage).filter((text) => text.includes("42 tests fail"))).toEqual([]);
    expect(third.map(textOfMessage)).toContain('[t1 ok, 471 chars short_summary="42 tests fail"]');
  });

  it("keeps the bytes of a line if the user writes the note of its tool call", async () => {
    const opened = await openClockedSession(6, 1, epochLayout({ small: 0 }));
    const { session, history } = opened;
    history.user("run the tests");
    history.call("bash", { command: "npm test" }, numberedLines(60));
    await opened.send();
    await session.deactivate("t1");
    history.say("done");
    history.user("go on");
    opened.time += 3_600_000;
    const before = (await opened.send()).messages;
    await session.note("t1", "42 tests fail");

    const after = (await opened.send()).messages;

    expect(before.map(textOfMessage)).toContain("[t1 ok, 471 chars]");
    expect(after).toEqual(before);
  });

  it("has a line for a note of the user in a file, and none for one of the model", async () => {
    const opened = await openClockedSession();
    const { session, history } = opened;
    opened.files.set("/work/a.ts", numberedLines(60));
    opened.files.set("/work/b.ts", numberedLines(60));
    history.user("read them");
    await history.read(session, "a.ts");
    await history.read(session, "b.ts");
    const count = (await opened.send()).messages.length;
    await session.deactivate("f1", { callId: "call_9", note: "numbers of a" });
    await session.note("f2", "numbers of b");

    const { messages } = await opened.send();

    expect(messages.slice(count).map(textOfMessage)).toEqual([
      '[f2 b.ts 471 v2 short_summary="numbers of b"]',
    ]);
  });
});

describe("a note on a call whose result shows nothing of its own", () => {
  const text = "text of a\n".repeat(400);

  it.each(["note", "name"] as const)("breaks no later view: %s", async (how) => {
    const { session } = await openTestSession({
      layout: epochLayout(),
      policy: recentlyUsedPolicy(),
      files: { "/work/a.ts": text },
    });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "a line\n".repeat(400));
    await history.ingest(session);
    await session.nextView();
    await session.recordRead("a.ts", { callId: "call_2" });
    history.call("read", { path: "a.ts" }, text);
    await history.ingest(session);
    await session.nextView();
    await session[how]("t2", "one");
    history.say("talk ".repeat(600));
    history.user("more");
    await history.ingest(session);

    const view = await session.nextView({ contextWindow: 2_600 });

    expect(view.epoch?.endedBy).toBe("budget");
  });
});
