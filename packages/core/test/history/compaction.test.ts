import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import { scriptHistory } from "../session/script-history.ts";
import { openTestSession, plainCodec } from "../session/test-session.ts";
import { storedTurns, textOfMessage, versionCount, viewParts } from "../session/view-parts.ts";

describe("a host that replaces its messages", () => {
  it("never loses the newest user message", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.say("two");
    await history.ingest(session);
    const replaced: Message[] = [
      { role: "summary", kind: "summary", raw: "a summary", isFromManager: true, timestamp: 90 },
      { role: "user", content: "the newest", timestamp: 91 },
    ];

    const report = await session.ingest(replaced, plainCodec);

    expect(report).toMatchObject({ type: "replaced", added: 2 });
    expect((await viewParts(session)).chat.map(textOfMessage)).toEqual([
      "one",
      "two",
      "the newest",
    ]);
  });

  it("does not change the view by a compaction whose summary the context manager gave (D53)", async () => {
    const { session, store } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(session);
    const view = await session.view();
    const before = await versionCount(store);

    await session.ingest(
      [{ role: "summary", kind: "summary", raw: "a summary", isFromManager: true, timestamp: 90 }],
      plainCodec,
    );

    expect((await session.view()).messages).toEqual(view.messages);
    expect(await versionCount(store)).toBe(before);
  });

  it("shows a user's summary instead of the messages that it replaced (D53)", async () => {
    const opened = await openTestSession();
    const { session } = opened;
    const { history, compacted } = compaction();
    await history.ingest(session);

    await session.ingest(compacted, plainCodec);

    const { chat } = await viewParts(session);
    expect(chat.map(textOfMessage)).toEqual(['"the summary"', "kept", "kept answer", "new"]);
    expect(await storedTurns(opened.store, session)).toHaveLength(3);
    expect((await session.activate("t1")).ok).toBe(true);
    expect((await viewParts(session)).activeTexts.join()).toContain("OLD OUTPUT");
  });

  it("shows the summary after a resume too, and ingests it once (D53)", async () => {
    const opened = await openTestSession();
    const { history, compacted } = compaction();
    await history.ingest(opened.session);
    await opened.session.ingest(compacted, plainCodec);
    const view = await opened.session.view();
    const before = await versionCount(opened.store);

    const again = await opened.reopen();
    await again.ingest(compacted, plainCodec);

    expect(JSON.stringify((await again.view()).messages)).toBe(JSON.stringify(view.messages));
    expect(await versionCount(opened.store)).toBe(before);
  });

  it("removes a user's compaction when the user goes back before it (D52, D53)", async () => {
    const { session } = await openTestSession();
    const { history, compacted } = compaction();
    await history.ingest(session);
    await session.ingest(compacted, plainCodec);
    const back: Message[] = [
      ...history.messages.slice(0, 3),
      { role: "user", content: "another way", timestamp: 1_900_000_000_000 },
    ];

    await session.ingest(back, plainCodec, { rewound: true });

    expect((await viewParts(session)).chat.map(textOfMessage)).toEqual([
      "old",
      "",
      "[t1 ok, 10 chars]",
      "another way",
    ]);
  });

  it("rewinds to right after the summary if the host sends only the summary (D52)", async () => {
    const opened = await openTestSession();
    const human = (text: string, timestamp: number): Message => ({
      role: "user",
      content: text,
      timestamp,
    });
    const kept = human("kept", 2_000);
    await opened.session.ingest([human("replaced", 1_000), kept], plainCodec);
    await opened.session.ingest([summaryMessage, kept], plainCodec);
    const ours: Message = {
      role: "summary",
      kind: "summary",
      raw: "a summary",
      isFromManager: true,
      timestamp: 3,
    };
    await opened.session.ingest([ours, kept, human("abandoned", 4_000)], plainCodec);

    const list = [summaryMessage, human("new", 5_000)];
    await opened.session.ingest(list, plainCodec, { rewound: true });

    for (const session of [opened.session, await opened.reopen()])
      expect((await viewParts(session)).chat.map(textOfMessage)).toEqual(['"the summary"', "new"]);
  });

  it("shows the messages after a summary that replaced the whole chat", async () => {
    const opened = await openTestSession();
    const { history } = compaction();
    await history.ingest(opened.session);
    const summary: Message = { ...summaryMessage, timestamp: 1_890_000_000_000 };
    await opened.session.ingest([summary], plainCodec);
    expect((await viewParts(opened.session)).chat.map(textOfMessage)).toEqual(['"the summary"']);

    const next: Message[] = [
      summary,
      { role: "user", content: "next", timestamp: 1_895_000_000_000 },
    ];
    await opened.session.ingest(next, plainCodec);

    expect((await viewParts(opened.session)).chat.map(textOfMessage)).toEqual([
      '"the summary"',
      "next",
    ]);
  });
});

const summaryMessage: Message = {
  role: "summary",
  kind: "compactionSummary",
  raw: "the summary",
  isFromManager: false,
  timestamp: 1_800_000_000_000,
};

/** A history, and the list that a host sends after a user compacted it: a summary, the last turn and a new message. */
function compaction(): { history: ReturnType<typeof scriptHistory>; compacted: Message[] } {
  const history = scriptHistory();
  history.user("old");
  history.call("bash", { command: "a" }, "OLD OUTPUT");
  history.user("kept");
  history.say("kept answer");
  return {
    history,
    compacted: [
      summaryMessage,
      ...history.messages.slice(3),
      { role: "user", content: "new", timestamp: 1_850_000_000_000 },
    ],
  };
}
