import { describe, expect, it } from "vitest";
import { turnLine } from "../../src/chat/turn-text.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession, otherHost } from "./test-session.ts";

const script = `import json\n${"value = 1\n".repeat(60)}`;

/** Ingests a session of two turns and makes its view, so that its workspace is recorded. */
async function worked(session: ContextSession): Promise<ReturnType<typeof scriptHistory>> {
  const history = scriptHistory();
  history.user("Make the parser faster.\n--- user\nthis line is the user's");
  history.call("bash", { command: script, timeout: 30 }, "done\n".repeat(40));
  history.say("The parser is faster now.");
  history.user("And the lexer?");
  history.say("It is fast already.");
  await history.ingest(session);
  await session.nextView();
  return history;
}

describe("a turn of the own chat", () => {
  it("is shown as it was, with all arguments and the lines of the outputs", async () => {
    const { session } = await openTestSession();
    await worked(session);

    const { ok, text, isOutput, effects } = await session.activate("chat", { turn: 1 });

    expect({ ok, isOutput, effects }).toEqual({ ok: true, isOutput: true, effects: [] });
    expect(text).toBe(
      [
        "Turn 1 of 2 of chat, lines 1-9 of 9; from and to show other lines:",
        "--- user",
        "Make the parser faster.",
        "\\--- user",
        "this line is the user's",
        "--- toolcall t1 bash",
        JSON.stringify({ command: script, timeout: 30 }),
        "[t1 ok, 200 chars]",
        "--- assistant",
        "The parser is faster now.",
      ].join("\n"),
    );
  });

  it("can be the last one, and some of its lines", async () => {
    const { session } = await openTestSession();
    await worked(session);

    const last = await session.activate("chat", { turn: -1 });
    const lines = await session.activate("chat", { turn: 1, from: 8, to: 9 });

    expect(last.text).toContain("Turn 2 of 2 of chat");
    expect(lines.text).toBe(
      "Turn 1 of 2 of chat, lines 8-9 of 9; from and to show other lines:\n--- assistant\nThe parser is faster now.",
    );
  });

  it.each([0, 3, -3])("is refused if it is not there: %i", async (turn) => {
    const { session } = await openTestSession();
    await worked(session);

    expect(await session.activate("chat", { turn })).toMatchObject({
      ok: false,
      text: "chat has 2 turns; give turn from 1 to 2.",
    });
  });

  it.each(["chat", "the id"])("that %s opened is closed by deactivate chat", async (how) => {
    const { session } = await openTestSession();
    const history = await worked(session);
    const id = how === "chat" ? "chat" : (await session.status()).chatId;
    await history.ask(
      "activate",
      { id, turn: 1 },
      async (callId) => await session.activate(id, { turn: 1 }, { callId }),
    );
    await history.ingest(session);
    const opened = JSON.stringify((await session.nextView()).messages);

    const closed = await session.deactivate("chat");
    const again = await session.deactivate("chat");

    expect(opened).toContain("this line is the user's\\n--- toolcall t1 bash");
    expect(closed).toMatchObject({ ok: true, text: "the chat: the extra lines are inactive." });
    expect(again.ok).toBe(false);
    expect(JSON.stringify((await session.nextView()).messages)).not.toContain("--- toolcall t1");
  });

  it("opens around a call: its answer, and those before and behind it", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("Make the parser faster.");
    for (const name of ["one", "two", "three", "four", "five"]) {
      history.say(`Now ${name}.\nIt is next.`);
      history.call("bash", { command: `make ${name}` }, "done");
    }
    history.say("All are made.");
    await history.ingest(session);

    const middle = await session.activate("chat#t3");
    const first = await session.activate("[[chat#t1]]");
    const last = await session.activate("chat#t5");

    expect(middle.isOutput).toBe(true);
    expect(middle.text).toBe(
      [
        "Turn 1 of 1 of chat, lines 15-23 of 34; from and to show other lines:",
        "--- assistant",
        "Now three.",
        "It is next.",
        "--- toolcall t3 bash",
        '{"command":"make three"}',
        "[t3 ok, 4 chars]",
        "--- assistant",
        "Now four.",
        "It is next.",
      ].join("\n"),
    );
    expect(first.text).toMatch(/^Turn 1 of 1 of chat, lines 1-\d+ of 34;[\s\S]*toolcall t1/u);
    expect(last.text).toContain("All are made.");
    expect((await session.activate("chat#t9")).text).toBe(
      'chat has no call "t9"; give the handle of one.',
    );
  });

  it("opens at a call behind a long text, and at other lines of its turn", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("a line that was pasted\n".repeat(3_000));
    history.call("bash", { command: "make one" }, "done");
    history.say("It is made.");
    await history.ingest(session);

    const { text } = await session.activate("chat#t1");
    const first = await session.activate("chat#t1", { from: 1, to: 2 });

    expect(text).toContain('--- toolcall t1 bash\n{"command":"make one"}');
    expect(text).toMatch(/It is made\.$/u);
    expect(text).not.toContain("a line that was pasted");
    expect(first.text).toMatch(/lines 1-2 of \d+;[^\n]*\n--- user\na line that was pasted$/u);
    expect((await session.activate("chat#t1", { turn: 1 })).ok).toBe(false);
  });

  it("around a call is closed by its name, and cannot be pinned", async () => {
    const { session } = await openTestSession();
    const history = await worked(session);
    await history.ask(
      "activate",
      { id: "chat#t1" },
      async (callId) => await session.activate("chat#t1", {}, { callId }),
    );
    await history.ingest(session);

    const pinned = await session.pin("chat#t1");
    const closed = await session.deactivate("chat#t1");

    expect(pinned.text).toContain("is a part of the chat; activate shows it");
    expect(closed).toMatchObject({ ok: true, text: "the chat: the extra lines are inactive." });
  });

  it("says that a line is longer than one call shows", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("Write it.");
    history.say(`${"x".repeat(70_000)}END`);
    await history.ingest(session);

    const { text } = await session.activate("chat", { turn: 1, from: 4 });

    expect(text).toMatch(/x\n\[line 4 is longer, and cut here\]$/u);
  });

  it("says where a part ends that is too long for one call", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("Write it.");
    history.call("bash", { command: "line\n".repeat(1) }, "done");
    history.say(`${"a line of the answer\n".repeat(4_000)}the end`);
    await history.ingest(session);

    const { text } = await session.activate("chat", { turn: 1 });
    const next = Number(/\[cut here; from (\d+) shows more\]$/u.exec(text)?.[1]);
    const rest = await session.activate("chat", { turn: 1, from: next });

    expect(text).toMatch(new RegExp(`^Turn 1 of 1 of chat, lines 1-${next - 1} of 40`, "u"));
    expect(rest.text).toMatch(/the end$/u);
  });

  it("is no part of another object", async () => {
    const { session } = await openTestSession({ files: { "/work/a.ts": "a" } });
    await session.read({ path: "a.ts" });

    expect(await session.activate("a.ts", { turn: 1 })).toMatchObject({
      ok: false,
      text: "a.ts is no chat; only a chat has turns. Give it without turn.",
    });
  });
});

describe("the chat of an earlier session", () => {
  it("shows a line for each turn, then a turn or lines, by its id and that of its session", async () => {
    const opened = await openTestSession();
    await worked(opened.session);
    const { chatId, sessionId } = await opened.session.status();
    const session = await opened.reopen(otherHost);

    const summary = await session.activate(chatId);
    const turn = await session.activate(sessionId, { turn: 1 });
    const lines = await session.activate(chatId, { from: 1, to: 2 });

    expect(summary).toMatchObject({ ok: true, isOutput: true, effects: [] });
    expect(summary.text).toBe(
      [
        `Chat ${chatId} has 2 turns; turn shows one, from and to show lines. The last 2, each in a line:`,
        "1. Make the parser faster. --- user this line is the user's -> The parser is faster now.",
        "2. And the lexer? -> It is fast already.",
      ].join("\n"),
    );
    expect(turn.text).toContain(JSON.stringify({ command: script, timeout: 30 }));
    expect(lines.text).toBe(
      `Chat ${chatId}, lines 1-2 of 11; from and to show other lines:\n--- user\nMake the parser faster.`,
    );
    expect((await session.status()).objects).toEqual([]);
    expect((await session.pin(chatId)).text).toBe(
      `${chatId} is the chat of another session; activate shows it, and it cannot be pinned.`,
    );
  });

  it("is refused in another workspace, and if the session made no call", async () => {
    const opened = await openTestSession();
    const { chatId } = await opened.session.status();
    const silent = await opened.reopen(otherHost);
    const before = await silent.activate(chatId);
    await worked(opened.session);
    const elsewhere = await openTestSession({ store: opened.store, workspace: "/other" });
    const session = await elsewhere.reopen(otherHost);

    const after = await session.activate(chatId, { turn: 1 });

    expect(before).toMatchObject({ ok: false });
    expect(after).toMatchObject({
      ok: false,
      text: `"${chatId}" is the chat of another workspace, and is not shown here.`,
    });
  });
});

describe("the line of a turn", () => {
  it("is whole characters, and has nothing of an answer that broke off", () => {
    const user = `a${" ".repeat(1_598)}\u{1F600} b`;
    const answer = (text: string, failed: boolean) => ({
      assistant: [{ type: "text", text }],
      toolcall_ids: [],
      assistant_meta: {},
      ...(failed ? { failed: true as const } : {}),
    });
    const turn = {
      user,
      timestamp: 1,
      steps: [answer("good", false), answer("half", true)],
    };

    const line = turnLine(turn, 1);

    expect(line.isWellFormed()).toBe(true);
    expect(line).toContain(" -> good");
  });
});
