import { describe, expect, it } from "vitest";
import { textOf } from "../../src/chat/message.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { scriptHistory, type ScriptedHistory } from "../session/script-history.ts";
import { openTestSession, otherHost, type TestSession } from "../session/test-session.ts";
import { numberedLines } from "../session/fake-files.ts";

const secret = "TOKEN=abc123\nNAME=x\n";
const masked = "TOKEN=[REDACTED]\nNAME=x\n";

describe("the result of a tool that read a file", () => {
  it("is the file, if it shows the file's text", async () => {
    const opened = await openRead({ "/work/a.txt": secret });
    await readAs(opened, "a.txt", secret);

    expect(await shownResult(opened)).toBe(`f1 a.txt v1\n~~~\n${secret}~~~`);
    expect(await storedTexts(opened)).toContain(secret);
  });

  it("is an output, if another extension has changed its text", async () => {
    const opened = await openRead({ "/work/a.txt": secret });
    await readAs(opened, "a.txt", masked);

    expect(await shownResult(opened)).toBe(`t1 ok\n~~~\n${masked}~~~`);
    expect(JSON.stringify(await storedTexts(opened))).not.toContain("abc123");
    expect((await opened.session.status()).objects.map(({ handle }) => handle)).toEqual(["t1"]);
  });

  it("is an output, if the file has another version by the time of the request", async () => {
    const opened = await openRead({ "/work/a.txt": "one\n" });
    opened.history.call("read", { path: "a.txt" }, "one\n", { id: "call_1" });
    await opened.session.recordRead("a.txt", { callId: "call_1" });
    opened.files.set("/work/a.txt", "two\n");
    await opened.session.recordWrite("a.txt");
    await opened.history.ingest(opened.session);

    expect(await shownResult(opened)).toBe("t1 ok\n~~~\none\n~~~");
  });

  it("does not store what the file has by the time of the request, if nobody has read it since", async () => {
    const opened = await openRead({ "/work/a.txt": "one\n" });
    opened.history.call("read", { path: "a.txt" }, "one\n", { id: "call_1" });
    await opened.session.recordRead("a.txt", { callId: "call_1" });
    await opened.session.recordNamed(["a.txt"], { callId: "call_2" });
    opened.files.set("/work/a.txt", secret);
    await opened.history.ingest(opened.session);

    expect(await shownResult(opened)).toBe("t1 ok\n~~~\none\n~~~");
    expect(JSON.stringify(await storedTexts(opened))).not.toContain("abc123");
  });

  it("is the file, if the file was named after the read and is unchanged", async () => {
    const opened = await openRead({ "/work/a.txt": "one\n" });
    opened.history.call("read", { path: "a.txt" }, "one\n", { id: "call_1" });
    await opened.session.recordRead("a.txt", { callId: "call_1" });
    await opened.session.recordNamed(["a.txt"], { callId: "call_2" });
    await opened.history.ingest(opened.session);

    expect(await shownResult(opened)).toBe("f1 a.txt v2\n~~~\none\n~~~");
  });

  it("shows the lines that the host shows", async () => {
    const opened = await openRead({ "/work/a.txt": numberedLines(40) });
    await readAs(opened, "a.txt", "line 7\nline 8", { offset: 7, limit: 2 });

    expect(await shownResult(opened)).toBe("f1 a.txt v1 lines 7-8 of 40\n~~~\nline 7\nline 8\n~~~");
  });

  it("is the same file in a fork that does not see the disk", async () => {
    const opened = await openRead({ "/work/a.txt": numberedLines(40) });
    await readAs(opened, "a.txt", "line 7\nline 8", { offset: 7, limit: 2 });
    opened.files.delete("/work/a.txt");

    const fork = await opened.reopen(otherHost);
    await opened.history.ingest(fork);

    expect(await shownResult({ ...opened, session: fork })).toBe(
      "f1 a.txt v1 lines 7-8 of 40\n~~~\nline 7\nline 8\n~~~",
    );
  });

  it("is recognised after a failure of the store", async () => {
    const opened = await openRead({ "/work/a.txt": secret });
    const { store } = opened.dependencies;
    let isBroken = false;
    const commit = store.commit.bind(store);
    store.commit = async (...args) => {
      if (isBroken) throw new Error("the disk is full");
      return await commit(...args);
    };
    opened.history.call("read", { path: "a.txt" }, secret, { id: "call_1" });
    await opened.session.recordRead("a.txt", { callId: "call_1" });
    isBroken = true;
    await expect(opened.history.ingest(opened.session)).rejects.toThrow("the disk is full");
    isBroken = false;
    await opened.history.ingest(opened.session);

    expect(await shownResult(opened)).toBe(`f1 a.txt v1\n~~~\n${secret}~~~`);
  });
});

type OpenedRead = TestSession & { readonly history: ScriptedHistory };

async function openRead(files: Readonly<Record<string, string>>): Promise<OpenedRead> {
  const opened = await openTestSession({ files, layout: epochLayout({ small: 0 }) });
  const history = scriptHistory();
  history.user("go on");
  return { ...opened, history };
}

async function readAs(
  { session, history }: OpenedRead,
  path: string,
  result: string,
  lines: { readonly offset?: number; readonly limit?: number } = {},
): Promise<void> {
  history.call("read", { path, ...lines }, result, { id: "call_1" });
  await session.recordRead(path, { callId: "call_1" });
  await history.ingest(session);
}

async function shownResult({
  session,
}: {
  readonly session: ContextSession;
}): Promise<string | undefined> {
  const { messages } = await session.nextView();
  const result = messages.find(({ role }) => role === "toolResult");
  return result?.role === "toolResult" ? textOf(result.content) : undefined;
}

async function storedTexts({ store }: TestSession): Promise<readonly unknown[]> {
  const { versions } = await store.changesSince();
  const stored = await Promise.all(
    versions.map(async ({ body, version }) => await store.get(body.id, { version })),
  );
  return stored.map((one) => one?.body.content);
}
