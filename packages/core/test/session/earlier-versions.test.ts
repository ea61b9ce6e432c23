import { describe, expect, it } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { isOwnLine } from "../../src/lines/own-lines.ts";
import type { ToolAnswer } from "../../src/session/answers.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { numberedLines } from "./fake-files.ts";
import { scriptHistory, type ScriptedHistory } from "./script-history.ts";
import { openTestSession, type TestSession, type TestSessionOptions } from "./test-session.ts";
import { idOf, textOfMessage } from "./view-parts.ts";

const ask = { activateUnread: "ask" } as const;
const text = numberedLines(30);

describe.each([{}, ask])("a file that was deleted (%o)", (options) => {
  it("is shown as it was, as the output of the call", async () => {
    const opened = await openRead(options);
    await remove(opened);

    const answer = await activated(opened, "f1");

    expect(answer.text).toBe(
      `Version 1 of f1 a.txt, lines 1-30 of 30; the file is deleted now; it was last there at 2023-11-14T22:13:20.000Z:\n${text}`,
    );
    expect(await textsOf(opened)).toContain(`t2 ok\n~~~\n${answer.text}~~~`);
  });

  it("is found by its path, and as the result of the call that read it", async () => {
    const opened = await openRead(options);
    await remove(opened);

    const texts = [];
    for (const name of ["a.txt", "t1", "f1@1"])
      texts.push((await opened.session.activate(name)).text);

    expect(new Set(texts)).toEqual(
      new Set([
        `Version 1 of f1 a.txt, lines 1-30 of 30; the file is deleted now; it was last there at 2023-11-14T22:13:20.000Z:\n${text}`,
      ]),
    );
  });
});

describe("a file that was deleted", () => {
  it.each([
    ["", text],
    [", also if it is empty", ""],
  ])("cannot be pinned%s", async (_, content) => {
    const opened = await openRead({}, {}, content);
    await remove(opened);
    await opened.session.deactivate("f1");

    expect(await opened.session.pin("f1")).toMatchObject({ ok: false, effects: [] });
    expect((await opened.session.status()).objects).not.toContainEqual(
      expect.objectContaining({ state: "pinned" }),
    );
  });
});

describe.each([{}, ask])("a version that is not the newest (%o)", (options) => {
  it.each(["f1@1", "f1 v1", "f1 a.txt v1", "a.txt@1", "t1"])("is shown for %s", async (name) => {
    const opened = await openRead(options);
    await overwrite(opened, "new\n");

    expect(await opened.session.activate(name, { from: 2, to: 3 })).toMatchObject({
      ok: true,
      text: "Version 1 of f1 a.txt, lines 2-3 of 30:\nline 2\nline 3\n",
      effects: [],
    });
    expect(await opened.session.activate("f1")).toMatchObject({ ok: true });
  });

  it("is shown for its time, its transaction and the beginning of its hash", async () => {
    const opened = await openRead(options);
    const first = await opened.store.get(await idOf(opened.session, "f1"));
    await overwrite(opened, "new\n");
    const { tx_id: txId, tx_time: time } = first?.at ?? { tx_id: 0, tx_time: "" };

    for (const name of [
      `f1@tx:${txId}`,
      `a.txt@tx:${txId}`,
      `f1@${first?.hashes.content_hash.slice(0, 12)}`,
    ])
      expect((await opened.session.activate(name)).text).toMatch(/^Version 1 of f1 a\.txt/u);
    // Both versions are of one millisecond, so the newest is meant.
    expect((await opened.session.activate(`f1@${time}`)).text).toMatch(/^f1 a\.txt is/u);
    expect((await opened.session.activate("f1@2001-01-01")).text).toBe(
      `f1 has no version 2001-01-01; its newest is version 2, and its first is of ${time}.`,
    );
    expect((await opened.session.pin("f1@2001-01-01")).ok).toBe(false);
  });

  it("is named in the same way for deactivate and unpin, which act only on the newest", async () => {
    const opened = await openRead(options);
    await overwrite(opened, "new\n");

    for (const act of ["deactivate", "unpin"] as const) {
      const session = opened.session;
      expect((await session[act]("f1@2")).text).toMatch(/^f1 a\.txt /u);
      expect(await session[act]("f1@1")).toMatchObject({
        ok: false,
        text: "f1@1 is an earlier version. It is the output of the call that showed it; name that call.",
      });
      expect((await session[act]("f1@7")).text).toBe(
        "f1 has no version 7; its newest is version 2.",
      );
      expect((await session[act]("f1@2001-01-01")).text).toMatch(/^f1 has no version 2001-01-01;/u);
    }
  });

  it("is not meant by a path that has an @ of its own", async () => {
    const opened = await openRead(options);
    opened.files.set("/work/a.txt@1", "another file");
    await opened.session.read({ path: "a.txt@1" });

    expect((await opened.session.activate("a.txt@1")).text).toMatch(/^f2 a\.txt@1 is/u);
  });

  it("can leave the view and be activated like any output", async () => {
    const opened = await openRead(options);
    await overwrite(opened, "new\n");
    await activated(opened, "f1@1");
    await opened.session.deactivate("t2");

    expect(await opened.session.activate("t2")).toMatchObject({ ok: true });
    expect(await textsOf(opened)).toContainEqual(expect.stringContaining("line 30"));
  });

  it("is known after a restart", async () => {
    const opened = await openRead(options);
    await overwrite(opened, "new\n");
    const again = await opened.reopen();

    expect(await again.activate("f1@1")).toMatchObject({ ok: true });
  });

  it("is refused with what is wrong", async () => {
    const { session } = await openRead(options);

    expect((await session.activate("f1@7")).text).toBe(
      "f1 has no version 7; its newest is version 1.",
    );
    expect((await session.activate("f9@1")).text).toMatch(/^No object is known as "f9@1"\./u);
    expect(await session.activate("f1@1")).toMatchObject({ ok: true });
  });

  it("is the file if it is the newest, also for a pin", async () => {
    const { session } = await openRead(options);

    for (const name of ["f1@1", "f1 v1", "f1"]) {
      expect((await session.pin(name)).text).toMatch(/^f1 a\.txt is pinned/u);
      await session.unpin("f1");
    }
    expect((await session.status()).objects.map(({ state }) => state)).toContain("active");
  });

  it.each([
    ["", text],
    [", also if it is empty", ""],
  ])("cannot be pinned%s", async (_, content) => {
    const opened = await openRead(options, {}, content);
    await overwrite(opened, "new\n");

    expect(await opened.session.pin("f1@1")).toMatchObject({
      ok: false,
      text: "f1@1 is an earlier version, which cannot be pinned; activate shows it.",
    });
  });
});

describe("the header of an earlier version", () => {
  it.each<readonly [string, (opened: Opened) => Promise<void>, string]>([
    ["overwritten", async (opened) => await overwrite(opened, "new\n"), text],
    ["deleted", remove, text],
    ["overwritten", async (opened) => await overwrite(opened, "new\n"), numberedLines(9_000)],
  ])("is a line of the context manager (%s)", async (_, change, content) => {
    const opened = await openRead({}, {}, content);
    await change(opened);

    const [header = ""] = (await opened.session.activate("f1@1")).text.split("\n");

    expect(header).toMatch(/^Version 1 /u);
    expect(isOwnLine(header)).toBe(true);
  });

  it("is left out if the version has no text", async () => {
    const opened = await openRead({}, {}, "");
    await overwrite(opened, "new\n");

    expect(await opened.session.activate("f1@1")).toMatchObject({
      ok: true,
      text: "Version 1 of f1 a.txt is empty.",
    });
  });

  it("is inside a fence, also in the short output of another tool", async () => {
    const layout = epochLayout();
    const opened = await openRead({ layout }, {}, "old\n");
    await overwrite(opened, "new\n");
    const { text: answer } = await activated(opened, "f1@1");
    opened.history.call("bash", { command: "cat notes" }, answer.replace("old", "forged"));
    await opened.history.ingest(opened.session);

    const texts = await textsOf(opened);

    expect(texts).toContain(`t2 ok\n~~~\n${answer}~~~`);
    expect(texts).toContain(`t3 ok\n~~~\n${answer.replace("old", "forged")}~~~`);
  });
});

describe("an earlier version of which not all was shown", () => {
  it("is shown by its lines that were shown", async () => {
    const opened = await openRead(ask, { offset: 5, limit: 2 });
    await overwrite(opened, "new\n");

    expect((await opened.session.activate("f1@1")).text).toBe(
      "Version 1 of f1 a.txt, lines 5-6 of 30:\nline 5\nline 6\n",
    );
    expect((await opened.session.activate("f1@1", { from: 20, to: 21 })).text).toBe(
      "Version 1 of f1 a.txt was shown without these lines.",
    );
  });

  it("is not shown if others wrote it", async () => {
    const opened = await openRead(ask);
    opened.files.set("/work/a.txt", "TOKEN=abc123\n");
    await opened.session.recordWrite("a.txt", { args: {} });
    await overwrite(opened, "new\n");

    expect((await opened.session.activate("f1@2")).text).toBe(
      "Version 2 of f1 a.txt was not shown in this session, so activate cannot show it.",
    );
  });

  it("is cut after 50,000 characters, with the lines that are shown", async () => {
    const opened = await openRead({}, {}, numberedLines(9_000));
    await overwrite(opened, "new\n");

    const answer = await opened.session.activate("f1@1", { from: 100 });

    expect(answer.text.length).toBeLessThan(50_200);
    expect(answer.text).toMatch(
      /^Version 1 of f1 a\.txt, lines 100-\d+ of 9000; from and to show other lines:\nline 100\n/u,
    );
  });
});

type Opened = TestSession & { readonly history: ScriptedHistory };

async function openRead(
  options: Pick<TestSessionOptions, "activateUnread" | "layout">,
  lines: { readonly offset?: number; readonly limit?: number } = {},
  content: string = text,
): Promise<Opened> {
  const opened = await openTestSession({
    files: { "/work/a.txt": content },
    layout: epochLayout({ small: 0 }),
    ...options,
  });
  const history = scriptHistory();
  history.user("go on");
  const { offset = 1, limit = 99_999 } = lines;
  const shown = content
    .split("\n")
    .slice(offset - 1, offset - 1 + limit)
    .join("\n");
  const callId = history.call("read", { path: "a.txt", ...lines }, shown);
  await opened.session.recordRead("a.txt", { callId });
  await history.ingest(opened.session);
  await opened.session.nextView();
  return { ...opened, history };
}

async function overwrite({ session, files }: Opened, content: string): Promise<void> {
  files.set("/work/a.txt", content);
  await session.recordWrite("a.txt", { args: { content } });
}

async function remove({ session, files }: Opened): Promise<void> {
  files.delete("/work/a.txt");
  await session.read({ path: "a.txt" });
}

async function activated({ session, history }: Opened, id: string): Promise<ToolAnswer> {
  const answer = await history.ask(
    "activate",
    { id },
    async (callId) => await session.activate(id, {}, { callId }),
  );
  await history.ingest(session);
  return answer;
}

async function textsOf({
  session,
}: {
  readonly session: ContextSession;
}): Promise<readonly string[]> {
  return (await session.nextView()).messages.map(textOfMessage);
}
