import { describe, expect, it } from "vitest";
import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { numberedLines } from "../session/fake-files.ts";
import { type ScriptedHistory, scriptHistory } from "../session/script-history.ts";
import { openTestSession, plainCodec, type TestSession } from "../session/test-session.ts";
import { ownSummary, userSummary } from "./host-messages.ts";

const files = {
  "/work/a.txt": numberedLines(40),
  "/work/b.txt": numberedLines(40),
  "/work/c.txt": numberedLines(40),
};

const summary = userSummary("the summary", 1_700_000_000_500);

describe("a summary of the host", () => {
  it("makes inactive what only the replaced messages held", async () => {
    const { session, history, compact } = await openRead();
    history.user("kept");
    await history.read(session, "b.txt");

    await compact(5);

    expect(await statesOf(session)).toEqual({
      f1: "inactive",
      f2: "active",
      t2: "inactive",
    });
  });

  it("keeps what is pinned", async () => {
    const { session, history, compact } = await openRead();
    await session.pin("f1");
    await session.pin("t2");
    history.user("kept");

    await compact(5);

    expect(await statesOf(session)).toMatchObject({ f1: "pinned", t2: "pinned" });
  });

  it("keeps what the user activated by a command", async () => {
    const { session, history, compact } = await openRead();
    await session.recordNamed(["c.txt"]);
    await session.activate("f2");
    await session.activate("t2");
    history.user("kept");

    await compact(5);

    const states = await statesOf(session);
    expect(states).toMatchObject({ f1: "inactive", f2: "active", t2: "active" });
  });

  it("keeps only the lines that kept messages show", async () => {
    const { session, history, compact } = await openRead();
    history.user("kept");
    const request = { path: "a.txt", offset: 7, limit: 3 };
    await history.ask("read", request, async (callId) => await session.read(request, { callId }));

    await compact(5);

    const text = JSON.stringify((await session.nextView()).messages);
    expect(text).toContain("line 9\\n");
    expect(text).not.toContain("line 20\\n");
  });

  it("makes lines of the chat inactive that only a replaced call of activate showed", async () => {
    const { session, history, compact } = await openRead();
    await activateChat({ session, history }, { from: 1, to: 2 });
    history.user("kept");

    await compact(7);

    expect(await statesOf(session)).toMatchObject({ c1: "inactive" });
    expect(JSON.stringify((await session.nextView()).messages)).not.toContain("c1 chat");
  });

  it("keeps only the lines of the chat that kept calls of activate show", async () => {
    const { session, history, compact } = await openRead();
    await activateChat({ session, history }, { from: 1, to: 2 });
    history.user("kept");
    await activateChat({ session, history }, { from: 2, to: 2 });

    await compact(7);

    const text = JSON.stringify((await session.nextView()).messages);
    expect(text).toMatch(/c1 chat v\d+ lines 2-2/u);
    expect(text).not.toMatch(/c1 chat v\d+ lines 1-/u);
  });

  it("keeps lines of the chat that the user activated by a command", async () => {
    const { session, history, compact } = await openRead();
    await session.activate("chat", { from: 1, to: 2 });
    history.user("kept");

    await compact(5);

    expect(await statesOf(session)).toMatchObject({ c1: "active" });
  });

  it("lets the model activate the freed objects again", async () => {
    const { session, history, compact } = await openRead();
    history.user("kept");
    await compact(5);

    expect((await session.activate("f1")).ok).toBe(true);
    expect((await session.activate("t2")).ok).toBe(true);
    const text = JSON.stringify((await session.nextView()).messages);
    expect(text).toContain("line 20\\n");
    expect(text).toContain("OLD OUTPUT");
  });

  it("frees the same after a resume, and once", async () => {
    const opened = await openRead();
    opened.history.user("kept");
    await opened.compact(5);
    await opened.session.activate("f1");

    const again = await opened.reopen();
    await again.ingest(readList([summary, ...opened.history.messages.slice(5)], plainCodec));

    expect(await statesOf(again)).toMatchObject({ f1: "active", t2: "inactive" });
  });

  it("changes nothing if the context manager gave the summary", async () => {
    const { session, history } = await openRead();
    history.user("kept");
    await history.ingest(session);

    await session.ingest(readList([ownSummary(90), ...history.messages.slice(5)], plainCodec));

    expect(await statesOf(session)).toMatchObject({ f1: "active", t2: "active" });
  });
});

interface ReadSession extends TestSession {
  readonly history: ScriptedHistory;
  /** Ingests the history, then a user's summary in place of the first messages. */
  readonly compact: (replaced: number) => Promise<void>;
}

/** Opens a session whose first five messages are a prompt, the read of a file, and a command with its output. */
async function openRead(): Promise<ReadSession> {
  const opened = await openTestSession({ files, layout: epochLayout() });
  const history = scriptHistory();
  history.user("old");
  await history.read(opened.session, "a.txt");
  history.call("bash", { command: "old" }, "OLD OUTPUT");
  await history.ingest(opened.session);
  return {
    ...opened,
    history,
    compact: async (replaced) => {
      await history.ingest(opened.session);
      await opened.session.ingest(
        readList([summary, ...history.messages.slice(replaced)], plainCodec),
      );
    },
  };
}

/** The model activates lines of the chat. */
async function activateChat(
  { session, history }: Pick<ReadSession, "session" | "history">,
  lines: { readonly from: number; readonly to: number },
): Promise<void> {
  await history.ask(
    "activate",
    { id: "chat", ...lines },
    async (callId) => await session.activate("chat", lines, { callId }),
  );
  await history.ingest(session);
}

/** The states of the files and of outputs with a content of their own. */
async function statesOf(session: ContextSession): Promise<Readonly<Record<string, string>>> {
  const { objects } = await session.status();
  const shown = objects.filter(({ handle, state }) => handle !== "t1" && handle !== "t3" && state);
  return Object.fromEntries(shown.map(({ handle, state }) => [handle, state]));
}
