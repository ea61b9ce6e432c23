import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import type { ManagerSummary } from "../../src/history/foreign-handles.ts";
import { readList } from "../../src/host/read-list.ts";
import { oneCall, type ScriptedHistory, scriptHistory } from "../session/script-history.ts";
import {
  openTestSession,
  otherHost,
  plainCodec,
  type TestSession,
} from "../session/test-session.ts";
import { handlesIn } from "../session/view-parts.ts";

const files = { "/work/a.txt": "first\n", "/work/b.txt": "second\n" };

/** A session that read two files with the context tool, and its history. */
async function begun(): Promise<TestSession & { readonly history: ScriptedHistory }> {
  const opened = await openTestSession({ files });
  const history = scriptHistory();
  history.user("go");
  await history.read(opened.session, "a.txt");
  await history.read(opened.session, "b.txt");
  await history.ingest(opened.session);
  return { ...opened, history };
}

describe("a session that continues on another store", () => {
  it("gives no object a handle that the history knows", async () => {
    const { history } = await begun();
    const { session } = await openTestSession({ files: { "/work/c.txt": "third\n" } });

    await history.ingest(session);
    await history.read(session, "c.txt");
    await history.ingest(session);

    expect(await handlesIn(session, "active")).toContain("f3");
    expect(await session.activate("f2")).toMatchObject({ ok: false });
    expect(session.isFromOtherStore).toBe(true);
  });

  it("gives the same handles after it is opened again", async () => {
    const { history } = await begun();
    const opened = await openTestSession({ files: { "/work/c.txt": "third\n" } });
    await history.ingest(opened.session);

    const again = await opened.reopen();
    await history.read(again, "c.txt");
    await history.ingest(again);

    expect(await handlesIn(again, "active")).toContain("f3");
    expect(again.isFromOtherStore).toBe(false);
  });
});

describe("a session whose earlier messages this store does not know", () => {
  it("gives no object a handle that a text of the model mentions", async () => {
    const { session } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("look");
    history.call("bash", { command: "ls" }, "a.txt b.txt");
    history.say("The bug is in b.txt (f2), as t1 shows.");
    history.user("mend f2");
    await history.ingest(session);
    await history.read(session, "a.txt");
    await history.ingest(session);

    expect(await handlesIn(session, "active")).toEqual(expect.arrayContaining(["t2", "f3"]));
    expect(await session.activate("f2")).toMatchObject({ ok: false });
    expect(await session.activate("t1")).toMatchObject({ ok: false });
    expect(session.isFromOtherStore).toBe(false);
  });

  it("gives no call the handle of a call on an abandoned branch", async () => {
    const { session: old } = await openTestSession();
    const history = oneCall();
    const shared = [...history.messages];
    history.call("bash", { command: "b" }, "B");
    await history.ingest(old);
    const branch = scriptHistory(1_700_000_100_000);
    branch.user("another way");
    branch.call("bash", { command: "c" }, "C", { id: "call_c" });
    await old.ingest(readList([...shared, ...branch.messages], plainCodec), { rewound: true });
    const handlesBefore = await handlesIn(old, "active");
    branch.say("t3 holds C.");

    const { session } = await openTestSession();
    await session.ingest(readList([...shared, ...branch.messages], plainCodec));

    expect(handlesBefore).toEqual(["t1", "t3"]);
    expect(await handlesIn(session, "active")).toEqual(["t4", "t5"]);
  });

  it.each<[string, (history: ScriptedHistory) => void]>([
    ["a summary of the host", (history) => history.push(summary("t9 lists the files"))],
    ["a message of the user", (history) => history.user("look at t9")],
    [
      "an argument",
      (history) => void history.call("write", { path: "n.md", content: "see t9" }, "ok"),
    ],
    [
      "a stand-in in an argument",
      (history) =>
        void history.call("edit", { edits: [{ new: "[12 characters, now in t9 v1]" }] }, "no", {
          isError: true,
        }),
    ],
    [
      "a refusal of a tool",
      (history) => void history.call("bash", {}, "activate t9", { isError: true }),
    ],
    [
      "an answer that was changed",
      (history) => void history.call("pin", { id: "x" }, "t9 is pinned!"),
    ],
    ["a message of the host's own kind", (history) => history.push(opaque("t9 was long"))],
    [
      "thinking",
      (history) =>
        history.push({
          role: "assistant",
          content: [{ type: "thinking", thinking: "t9?" }],
          meta: {},
        }),
    ],
  ])("gives no object a handle that is in %s", async (_place, write) => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    write(history);
    history.user("go");
    history.call("bash", { command: "a" }, "A", { id: "call_a" });

    await history.ingest(session);

    const handles = await handlesIn(session, "active");
    expect(handles.length).toBeGreaterThan(0);
    expect(handles.filter((name) => Number(name.slice(1)) < 10)).toEqual([]);
  });
});

describe("a history with summaries of the context manager", () => {
  it("is from another store if this one does not have their chat", async () => {
    const { session } = await openTestSession();
    const history = oneCall();
    const summaries = (): readonly ManagerSummary[] => [
      { text: "Active: t4 bash.", chatId: "chat-7" },
    ];

    await session.ingest(readList(history.messages, plainCodec), { summaries });

    expect(session.isFromOtherStore).toBe(true);
    expect(await handlesIn(session, "active")).toEqual(["t5"]);
  });

  it("is a fork if the store has their chat", async () => {
    const opened = await openTestSession();
    const history = oneCall();
    await history.ingest(opened.session);
    const { chatId } = await opened.session.status();
    const fork = await opened.reopen(otherHost);
    const summaries = (): readonly ManagerSummary[] => [{ text: "Active: t4 bash.", chatId }];

    await fork.ingestAndView(readList(history.messages, plainCodec), { summaries });

    expect(fork.isFromOtherStore).toBe(false);
    expect(await handlesIn(fork, "active")).toEqual(["t1"]);
  });

  it("asks for them only while the session knows no message", async () => {
    const { session } = await openTestSession();
    const history = oneCall();
    let asked = 0;
    const summaries = (): readonly ManagerSummary[] => {
      asked += 1;
      return [{ text: "Active: t4 bash." }];
    };

    await session.ingest(readList(history.messages, plainCodec), { summaries });
    history.user("go on");
    await session.ingestAndView(readList(history.messages, plainCodec), { summaries });

    expect(asked).toBe(1);
    expect(await handlesIn(session, "active")).toEqual(["t5"]);
  });
});

describe("a fork after a summary", () => {
  it("gives no call the handle of another one", async () => {
    const opened = await openTestSession();
    const history = oneCall();
    const before = history.messages.length;
    history.call("bash", { command: "b" }, "B");
    history.say("t2 holds B.");
    await history.ingest(opened.session);
    const fork = await opened.reopen(otherHost);

    await fork.ingest(readList([summary("ran a"), ...history.messages.slice(before)], plainCodec));

    expect(await handlesIn(fork, "active")).toEqual(["t3"]);
    expect(fork.isFromOtherStore).toBe(false);
  });
});

function summary(text: string): Message {
  return { role: "summary", kind: "compaction", raw: { text }, isFromManager: false, timestamp: 1 };
}

function opaque(text: string): Message {
  return { role: "opaque", kind: "note", raw: { text }, timestamp: 1 };
}

describe("handles count from one in", () => {
  it("a fork on the same store, in which the model mentions a file", async () => {
    const opened = await begun();
    const { history } = opened;
    history.say("The bug is in f2.");
    await history.ingest(opened.session);

    const fork = await opened.reopen(otherHost);
    await history.ingest(fork);

    expect(await handlesIn(fork, "active")).toEqual(expect.arrayContaining(["f1", "f2"]));
  });

  it("a fork on the same store, whose calls repeat", async () => {
    const opened = await begun();
    const { history, session } = opened;

    const fork = await opened.reopen(otherHost);
    await history.ingest(fork);

    expect(fork.isFromOtherStore).toBe(false);
    expect(await handlesIn(fork, "active")).toEqual(await handlesIn(session, "active"));
  });

  it("a session whose first prompt contains names like handles", async () => {
    const { session } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("t7 is a name of mine");
    await history.ingest(session);
    history.call("bash", { command: "echo t9" }, "t9");
    await history.ingest(session);

    expect(await handlesIn(session, "active")).toEqual(["t1"]);
  });

  it("a fork on the same store, which shows no lines of the other session's chat", async () => {
    const opened = await begun();
    const { history, session } = opened;
    const lines = { from: 1, to: 1 };
    await history.ask(
      "activate",
      { id: "chat", ...lines },
      async (callId) => await session.activate("chat", lines, { callId }),
    );
    await history.ingest(session);

    const fork = await opened.reopen(otherHost);
    await history.ingest(fork);

    expect(await handlesIn(session, "active")).toContain("c1");
    expect(fork.isFromOtherStore).toBe(false);
    expect((await fork.status()).objects.map(({ handle }) => handle)).not.toContain("c1");
    expect((await fork.activate("chat", lines)).text).toMatch(/^c1 /u);
  });

  it("a history without answers of context tools", async () => {
    const { session } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("f7 is a name of mine");
    history.call("bash", { command: "echo f9" }, "f9 t4");
    await history.ingest(session);

    expect(session.isFromOtherStore).toBe(false);
    expect(await handlesIn(session, "active")).toEqual(["t1"]);
  });
});
