import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import { readList } from "../../src/host/read-list.ts";
import {
  chatAbout,
  oneCall,
  type ScriptedHistory,
  scriptHistory,
} from "../session/script-history.ts";
import { openTestSession, plainCodec, type TestSession } from "../session/test-session.ts";
import { chatTexts, storedTurns, versionCount, viewParts } from "../session/view-parts.ts";
import { ownSummary, prompt, userSummary } from "./host-messages.ts";

describe("a host that replaces its messages", () => {
  it("never loses the newest user message", async () => {
    const { session } = await openTestSession();
    await chatAbout("one").ingest(session);

    const report = await session.ingest(
      readList([ownSummary(90), prompt("the newest", 91)], plainCodec),
    );

    expect(report).toMatchObject({ type: "replaced", added: 2 });
    expect(await chatTexts(session)).toEqual(["one", "answer one", "the newest"]);
  });

  it("does not change the view by a compaction whose summary the context manager gave (D53)", async () => {
    const { session, store } = await openTestSession();
    await oneCall().ingest(session);
    const view = await session.nextView();
    const before = await versionCount(store);

    await session.ingest(readList([ownSummary(90)], plainCodec));

    expect((await session.nextView()).messages).toEqual(view.messages);
    expect(await versionCount(store)).toBe(before);
  });

  it("shows a user's summary instead of the messages that it replaced (D53)", async () => {
    const { session, store } = await openCompacted();

    expect(await chatTexts(session)).toEqual(['"the summary"', "kept", "kept answer", "new"]);
    expect(await storedTurns(store, session)).toHaveLength(3);
    expect((await session.activate("t1")).ok).toBe(true);
    expect((await viewParts(session)).activeTexts.join()).toContain("OLD OUTPUT");
  });

  it("shows the summary after a resume too, and ingests it once (D53)", async () => {
    const opened = await openCompacted();
    const { session, store, compacted } = opened;
    const view = await session.nextView();
    const before = await versionCount(store);

    const again = await opened.reopen();
    await again.ingest(readList(compacted, plainCodec));

    expect(JSON.stringify((await again.nextView()).messages)).toBe(JSON.stringify(view.messages));
    expect(await versionCount(store)).toBe(before);
  });

  it("removes a user's compaction when the user goes back before it (D52, D53)", async () => {
    const { session, history } = await openCompacted();
    const back = [...history.messages.slice(0, 3), prompt("another way")];

    await session.ingest(readList(back, plainCodec), { rewound: true });

    expect(await chatTexts(session)).toEqual(["old", "", "[t1 ok, 10 chars]", "another way"]);
  });

  it("rewinds to right after the summary if the host sends only the summary (D52)", async () => {
    const opened = await openTestSession();
    const kept = prompt("kept", 2_000);
    await opened.session.ingest(readList([prompt("replaced", 1_000), kept], plainCodec));
    await opened.session.ingest(readList([summary, kept], plainCodec));
    await opened.session.ingest(
      readList([ownSummary(3), kept, prompt("abandoned", 4_000)], plainCodec),
    );

    const list = [summary, prompt("new", 5_000)];
    await opened.session.ingest(readList(list, plainCodec), { rewound: true });

    for (const session of [opened.session, await opened.reopen()])
      expect(await chatTexts(session)).toEqual(['"the summary"', "new"]);
  });

  it("shows the messages after a summary that replaced the whole chat", async () => {
    const { session } = await openTestSession();
    await chatAbout("one", "two").ingest(session);
    await session.ingest(readList([summary], plainCodec));
    expect(await chatTexts(session)).toEqual(['"the summary"']);

    await session.ingest(readList([summary, prompt("next")], plainCodec));

    expect(await chatTexts(session)).toEqual(['"the summary"', "next"]);
  });
});

const summary = userSummary("the summary", 1_800_000_000_000);

interface Compacted extends TestSession {
  /** The messages before the compaction. */
  readonly history: ScriptedHistory;
  /** The list after it: the summary, the last turn and a new message. */
  readonly compacted: readonly Message[];
}

/** Opens a session of two turns, whose user compacted the first one and wrote a new message. */
async function openCompacted(): Promise<Compacted> {
  const opened = await openTestSession();
  const history = scriptHistory();
  history.user("old");
  history.call("bash", { command: "a" }, "OLD OUTPUT");
  history.user("kept");
  history.say("kept answer");
  await history.ingest(opened.session);
  const compacted = [summary, ...history.messages.slice(3), prompt("new", 1_850_000_000_000)];
  await opened.session.ingest(readList(compacted, plainCodec));
  return { ...opened, history, compacted };
}
