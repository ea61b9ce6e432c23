import { describe, expect, it } from "vitest";
import { readList } from "../../src/host/read-list.ts";
import { viewHistory } from "../../src/inspect/view-history.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import { openContextSession } from "../../src/session/open-context-session.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import type { Layout } from "../../src/view/layout.ts";
import { prompt, userSummary } from "../history/host-messages.ts";
import { chatAbout, type ScriptedHistory, scriptHistory } from "./script-history.ts";
import {
  openTestSession,
  otherHost,
  plainCodec,
  testHost,
  type TestSession,
} from "./test-session.ts";
import {
  bodyOf,
  chatTexts,
  latest,
  storedTurns,
  textOfMessage,
  versionCount,
} from "./view-parts.ts";

const layouts: readonly Layout[] = [pooledLayout, epochLayout()];

/** The line with which the chat begins after an archive. */
const line = (handle: string, turns: string): string =>
  `[an earlier chat is archived as ${handle}, ${turns}; activate ${handle} shows a line for each turn, and one of them with turn]`;

interface Archived extends TestSession {
  readonly history: ScriptedHistory;
}

/** Opens a session of two turns, `one` with a call and `two`, makes its view and archives its chat. */
async function openArchived(layout: Layout = pooledLayout): Promise<Archived> {
  const opened = await openTestSession({ layout });
  const history = scriptHistory();
  history.user("one");
  history.call("bash", { command: "a" }, "OLD OUTPUT");
  history.say("answer one");
  history.user("two");
  history.say("answer two");
  await history.ingest(opened.session);
  await opened.session.nextView();
  const answer = await opened.session.archive();
  expect(answer).toMatchObject({ ok: true, effects: [] });
  return { ...opened, history };
}

/** Returns the texts of the messages in the next view that a person or a model has said, and the lines of archives. */
async function saidIn(session: ContextSession): Promise<readonly string[]> {
  const { messages } = await session.nextView();
  const isKnown = (text: string): boolean =>
    /^(?:Known objects|Active:|\[(?!an earlier))/u.test(text);
  return messages.map(textOfMessage).filter((text) => text !== "" && !isKnown(text));
}

describe.each(layouts)("an archived chat in the layout $name", (layout) => {
  it("leaves the view, in which a line names it, although the host still sends it", async () => {
    const { session, history } = await openArchived(layout);

    history.user("three");
    await history.ingest(session);
    const first = await saidIn(session);
    history.say("answer three");
    history.user("four");
    await history.ingest(session);

    expect(first).toEqual([line("c1", "2 turns"), "three"]);
    expect(await saidIn(session)).toEqual([line("c1", "2 turns"), "three", "answer three", "four"]);
  });

  it("is the same after a resume, and the same list again stores nothing", async () => {
    const opened = await openArchived(layout);
    opened.history.user("three");
    await opened.history.ingest(opened.session);
    const { messages } = await opened.session.nextView();
    const before = await versionCount(opened.store);

    const again = await opened.reopen();
    await opened.history.ingest(again);

    expect(await versionCount(opened.store)).toBe(before);
    expect(JSON.stringify((await again.nextView()).messages)).toBe(JSON.stringify(messages));
  });

  it("is whole again if the user goes back to before its end", async () => {
    const opened = await openArchived(layout);
    const { session, history } = opened;
    history.user("three");
    await history.ingest(session);
    await session.nextView();

    const back = [...history.messages.slice(0, 4), prompt("other two")];
    const report = await session.ingest(readList(back, plainCodec), { rewound: true });

    expect(report.type).toBe("rewound");
    for (const one of [session, await opened.reopen()])
      expect(await saidIn(one)).toEqual(["one", "answer one", "other two"]);
  });

  it("stays away on a branch that begins at its end or later", async () => {
    const opened = await openArchived(layout);
    const { session, history } = opened;
    const end = history.messages.length;
    history.user("three");
    history.say("answer three");
    history.user("four");
    await history.ingest(session);
    await session.nextView();
    const later = [...history.messages.slice(0, end + 2), prompt("other four", 1_800_000_000_000)];
    await session.ingest(readList(later, plainCodec));
    const behind = await saidIn(session);

    const atEnd = [...history.messages.slice(0, end), prompt("other three", 1_800_000_000_001)];
    await session.ingest(readList(atEnd, plainCodec));

    const first = line("c1", "2 turns");
    expect(behind).toEqual([first, "three", "answer three", "other four"]);
    for (const one of [session, await opened.reopen()])
      expect(await saidIn(one)).toEqual([first, "other three"]);
  });

  it("has its end again if the user returns from before it", async () => {
    const { session, history } = await openArchived(layout);
    history.user("three");
    await history.ingest(session);
    const back = [...history.messages.slice(0, 4), prompt("other two", 1_800_000_000_000)];
    await session.ingest(readList(back, plainCodec), { rewound: true });

    history.say("answer three");
    history.user("four");
    await session.ingest(readList(history.messages, plainCodec), { rewound: true });

    expect(await saidIn(session)).toEqual([line("c1", "2 turns"), "three", "answer three", "four"]);
  });

  it("is followed by a second one, with a line for each", async () => {
    const opened = await openArchived(layout);
    const { session, history } = opened;
    history.user("three");
    history.say("answer three");
    await history.ingest(session);

    const answer = await session.archive();

    history.user("four");
    await history.ingest(session);
    expect(answer.text).toContain("archived as c2 (turns: 1)");
    for (const one of [session, await opened.reopen()])
      expect(await saidIn(one)).toEqual([line("c1", "2 turns"), line("c2", "1 turn"), "four"]);
    expect((await session.activate("c2")).text).toContain("\n1. three -> answer three");
  });

  it("leaves views that are rebuilt byte for byte", async () => {
    const { session, store, history } = await openArchived(layout);
    history.user("three");
    await history.ingest(session);
    await session.nextView();
    history.say("answer three");
    await history.ingest(session);
    await session.archive();
    history.user("four");
    await history.ingest(session);
    await session.nextView();
    const back = [...history.messages.slice(0, 4), prompt("other two")];
    await session.ingest(readList(back, plainCodec), { rewound: true });
    await session.nextView();

    const calls = await viewHistory(store, layouts, testHost);
    const problems: string[] = [];
    for await (const call of calls?.verify() ?? [])
      problems.push(...call.problems.map(({ text }) => text));

    expect(calls?.count).toBe(4);
    expect(problems).toEqual([]);
  });
});

describe("the object of an archived chat", () => {
  it("has its turns, and refers to the version of the chat with them", async () => {
    const { session, store } = await openArchived();
    const { chatId, sessionId } = await session.status();

    const body = await bodyOf({ session, store }, "c1");

    expect(body).toMatchObject({
      type: "chat",
      locked: false,
      archived: true,
      turn_count: 2,
      turns: await storedTurns(store, session),
      session_ref: { ref: "dynamic", id: sessionId },
      provenance: { parent_refs: [{ ref: "static", id: chatId }] },
    });
    expect(body.content).toBe((await latest(store, chatId)).body.content);
    expect(body["toolcall_refs"]).toHaveLength(1);
    expect((await session.status()).objects).toMatchObject([
      { handle: "t1", state: "inactive" },
      { handle: "c1", state: "inactive" },
    ]);
  });

  it("is opened by its handle: its turns, one of them, and lines", async () => {
    const { session } = await openArchived();

    expect(await session.activate("c1")).toEqual({
      ok: true,
      isOutput: true,
      effects: [],
      text: "Chat c1 has 2 turns; turn shows one, from and to show lines. The last 2, each in a line:\n1. one -> answer one\n2. two -> answer two",
    });
    expect((await session.activate("c1", { turn: 1 })).text).toBe(
      'Turn 1 of 2 of c1, lines 1-7 of 7; from and to show other lines:\n--- user\none\n--- toolcall t1 bash\n{"command":"a"}\n[t1 ok, 10 chars]\n--- assistant\nanswer one',
    );
    expect((await session.activate("c1", { from: 1, to: 2 })).text).toBe(
      "Chat c1, lines 1-2 of 9; from and to show other lines:\n--- user\none",
    );
    expect((await session.pin("c1")).text).toBe(
      "c1 is an archived chat; activate shows it, and it cannot be pinned.",
    );
    expect((await session.showField("c1", "content")).ok).toBe(false);
  });

  it("gets a nickname, by which another session of the workspace opens it", async () => {
    const opened = await openArchived();
    expect((await opened.session.name("c1", "parser work")).ok).toBe(true);
    const session = await opened.reopen(otherHost);
    const other = await openContextSession(
      { ...opened.dependencies, workspace: "/other" },
      { ...otherHost, sessionId: "session-3" },
    );

    expect((await session.activate("parser work", { turn: 2 })).text).toContain("answer two");
    expect((await other.activate("parser work")).ok).toBe(false);
  });

  it("stays open after a session without a view, and after a resume", async () => {
    const opened = await openTestSession();
    await chatAbout("one").ingest(opened.session);
    await opened.session.archive();

    const session = await opened.reopen();

    expect((await session.activate("c1")).text).toContain("\n1. one -> answer one");
  });
});

describe("the chat after an archive", () => {
  it("keeps the numbers of its turns, and earlier ones are opened by them", async () => {
    const { session, history } = await openArchived();
    const before = await session.activate("chat");
    history.user("three");
    history.say("answer three");
    await history.ingest(session);

    const { text } = await session.activate("chat");

    expect(before).toMatchObject({ ok: false });
    expect(before.text).toBe("all turns of chat are archived; turn shows one of 2.");
    expect(text.split("\n").slice(1)).toEqual(["3. three -> answer three"]);
    expect((await session.activate("chat", { turn: 1 })).text).toContain("Turn 1 of 3 of chat");
  });

  it("keeps pinned objects active, and what is active by a later turn", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "a", "/work/b.ts": "b" } });
    const { session } = opened;
    const history = scriptHistory();
    history.user("one");
    await history.read(session, "a.ts");
    await history.read(session, "b.ts");
    history.call("bash", { command: "x" }, "OUTPUT");
    history.say("done");
    await history.ingest(session);
    await session.pin("b.ts");

    await session.archive();
    history.user("two");
    await history.ingest(session);

    const states = (await session.status()).objects.map(({ handle, state }) => [handle, state]);
    expect(Object.fromEntries(states)).toMatchObject({
      f1: "inactive",
      f2: "pinned",
      t3: "inactive",
      c1: "inactive",
    });
    expect((await session.activate("f1")).ok).toBe(true);
    expect((await session.activate("t3")).ok).toBe(true);
  });

  it("has the line before a summary of the user, and no summary of archived turns only", async () => {
    const { session, history } = await openArchived();
    history.user("three");
    history.say("answer three");
    const all = [...history.messages];
    await session.ingest(readList(all, plainCodec));
    const ofOld = [userSummary("old", 1_750_000_000_000), ...all.slice(4), prompt("four")];
    await session.ingest(readList(ofOld, plainCodec));
    const before = await chatTexts(session);

    const ofAll = [userSummary("all", 1_760_000_000_000), ...all.slice(7), prompt("four")];
    await session.ingest(readList(ofAll, plainCodec));

    const first = line("c1", "2 turns");
    expect(before).toEqual([first, "three", "answer three", "four"]);
    expect(await chatTexts(session)).toEqual([first, '"all"', "answer three", "four"]);
  });

  it("has no summary that the user asked for before the archive", async () => {
    const { session } = await openTestSession();
    const history = chatAbout("one", "two");
    await history.ingest(session);
    const list = [userSummary("the summary", 1_750_000_000_000), ...history.messages.slice(2)];
    await session.ingest(readList(list, plainCodec));

    await session.archive();
    await session.ingest(readList([...list, prompt("three")], plainCodec));

    expect(await chatTexts(session)).toEqual([line("c1", "2 turns"), "three"]);
  });
});

describe("a fork of a session with an archived chat", () => {
  it.each(layouts)("begins with the line too, in the layout $name", async (layout) => {
    const opened = await openArchived(layout);
    const { history } = opened;
    history.user("three");
    await history.ingest(opened.session);
    await opened.session.nextView();

    const fork = await opened.reopen(otherHost);
    await history.ingest(fork);

    expect(await saidIn(fork)).toEqual([line("c1", "2 turns"), "three"]);
    const states = (await fork.status()).objects.map(({ handle, state }) => [handle, state]);
    expect(Object.fromEntries(states)).toEqual({ t1: "inactive", c1: "inactive" });
    expect((await fork.activate("c1")).text).toContain("\n2. two -> answer two");
    expect(await saidIn(await opened.reopen(otherHost))).toEqual([line("c1", "2 turns"), "three"]);
  });

  it("has the archives before its beginning only", async () => {
    const opened = await openArchived();
    const { session, history } = opened;
    const early = [...history.messages.slice(0, 4), prompt("other two", 1_800_000_000_000)];
    history.user("three");
    history.say("answer three");
    await history.ingest(session);
    await session.archive();
    const later = [...history.messages.slice(0, 6), prompt("other three", 1_800_000_000_000)];

    const before = await opened.reopen(otherHost);
    await before.ingest(readList(early, plainCodec));
    const between = await opened.reopen({ ...otherHost, sessionId: "session-3" });
    await between.ingest(readList(later, plainCodec));

    expect(await saidIn(before)).toContain("answer one");
    expect(await saidIn(between)).toEqual([line("c1", "2 turns"), "other three"]);
  });
});

describe("an archive is refused", () => {
  it("without a finished turn", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    const none = await session.archive();
    history.user("one");
    await history.ingest(session);
    const unanswered = await session.archive();
    history.call("bash", { command: "a" }, "output");
    await history.ingest(session);
    const working = await session.archive();
    history.messages.pop();
    const open = await openTestSession();
    await history.ingest(open.session);

    expect(none).toMatchObject({ ok: false, text: "the chat has no finished turn to archive." });
    const text = "the newest turn is not finished; archive the chat when it has its last answer.";
    for (const answer of [unanswered, working, await open.session.archive()])
      expect(answer).toMatchObject({ ok: false, text });
  });

  it("if nothing was said since the last one, and stores nothing", async () => {
    const { session, store } = await openArchived();
    const before = await versionCount(store);

    const answer = await session.archive();

    expect(answer).toMatchObject({
      ok: false,
      text: "nothing was said since the chat was archived.",
    });
    expect(await versionCount(store)).toBe(before);
  });

  it("but not after an answer that broke off", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.push({
      role: "assistant",
      content: [{ type: "toolCall", id: "half", name: "bash", arguments: {} }],
      isFailed: true,
      meta: {},
      timestamp: 1_700_000_000_900,
    });
    await history.ingest(session);

    expect((await session.archive()).ok).toBe(true);
  });
});
