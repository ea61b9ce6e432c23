import { describe, expect, it } from "vitest";
import { type ScriptedHistory, scriptHistory } from "../session/script-history.ts";
import { openTestSession, otherHost, type TestSession } from "../session/test-session.ts";
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
  it("gives no file a handle that a text of the model mentions", async () => {
    const { session } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("look");
    history.call("bash", { command: "ls" }, "a.txt b.txt");
    history.say("The bug is in b.txt (f2), as t1 shows.");
    history.user("mend f2");
    await history.ingest(session);
    await history.read(session, "a.txt");
    await history.ingest(session);

    expect(await handlesIn(session, "active")).toEqual(expect.arrayContaining(["t1", "f3"]));
    expect(await session.activate("f2")).toMatchObject({ ok: false });
    expect(session.isFromOtherStore).toBe(false);
  });
});

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
