import { sealObject, unreadFileBody } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import { numberedLines } from "./fake-files.ts";
import { type FakeTracker, fakeTracker } from "./fake-tracker.ts";
import { scriptHistory, type ScriptedHistory } from "./script-history.ts";
import {
  openTestSession,
  otherHost,
  type TestSession,
  type TestSessionOptions,
} from "./test-session.ts";
import { textOfMessage } from "./view-parts.ts";

describe("a file that others change while its text is in view", () => {
  it("is shown by a small difference", async () => {
    const opened = await openRead(numberedLines(50));
    await changeByOthers(opened, numberedLines(50).replace("line 7\n", "LINE 7\n"));

    expect(await newTexts(opened)).toEqual([
      expect.stringMatching(/^f1 a\.txt v2 replaces v1 above, \+1 -1\n[^]*\+LINE 7/u),
    ]);
  });

  it("is reported with its old and its new size if the difference is large", async () => {
    const opened = await openRead(numberedLines(50));
    await changeByOthers(opened, numberedLines(2_000));

    const report = "[f1 a.txt changed, v1 391 chars -> v2 19k chars; read it to see v2]";
    expect(await newTexts(opened)).toEqual([report]);
    expect(await newTexts(opened)).toEqual([]);
    await changeByOthers(opened, numberedLines(3_000));
    expect(await newTexts(opened)).toEqual([report.replaceAll("v2", "v3").replace("19k", "29k")]);
  });

  it("is reported each time if the difference is larger than the text that is in view", async () => {
    const opened = await openRead("start\n");
    for (const [lines, size] of [
      [25, "197"],
      [50, "397"],
    ] as const) {
      await changeByOthers(opened, `start\n${numberedLines(lines)}`);

      expect(await newTexts(opened)).toEqual([
        expect.stringMatching(
          new RegExp(`^\\[f1 a\\.txt changed, v1 6 chars -> v\\d ${size} chars; `, "u"),
        ),
      ]);
    }
  });

  it("is shown if the new text is no larger than the one that is in view", async () => {
    const opened = await openRead(numberedLines(3));
    await changeByOthers(opened, "other\n");

    expect(await newTexts(opened)).toEqual(["f1 a.txt v2\n~~~\nother\n~~~"]);
  });

  it("is reported with its size if it is large and was not read again", async () => {
    const tracker = fakeTracker();
    const opened = await openRead(numberedLines(50), {}, { activateUnread: "ask", tracker });
    const [previous] = (await opened.store.find({ where: { path: "/work/a.txt" } })).items;
    if (previous === undefined) throw new Error("the file has no object");
    const facts = { realPath: "/work/a.txt", kind: "file", size: 40_000_000, modified: 0 } as const;
    const object = sealObject(unreadFileBody(previous.body.id, facts, previous.body));
    await opened.store.commit([{ object, expect: 1 }]);
    const stored = await opened.store.get(previous.body.id);
    if (stored === undefined) throw new Error("the version is not stored");
    tracker.tell([{ id: stored.body.id, type: "changed", stored, previous }]);

    expect(await newTexts(opened)).toEqual([
      "[f1 a.txt changed, v1 391 chars -> v2 40MB; read it to see v2]",
    ]);
    expect(await opened.session.activate("f1")).toMatchObject({
      ok: false,
      text: "f1 a.txt has changed since it was read; call read with its path to see it.",
    });
  });

  it("is only reported if lines of it were read", async () => {
    const opened = await openRead(numberedLines(50), { offset: 5, limit: 2 });
    await changeByOthers(opened, numberedLines(51));

    expect(await newTexts(opened)).toEqual([
      "[f1 a.txt changed, v1 391 chars -> v2 399 chars; read it to see v2]",
    ]);
  });

  it("costs one line if it only got a name", async () => {
    const opened = await openRead(numberedLines(50));
    await opened.session.name("f1", "plan");

    expect(await newTexts(opened)).toEqual(["[f1 a.txt (plan) 391 v2]"]);
  });

  it("is shown in the new version when it is read again", async () => {
    const opened = await openRead(numberedLines(50));
    await changeByOthers(opened, numberedLines(2_000));
    await newTexts(opened);
    await read(opened, numberedLines(2_000), { offset: 1_999 }, "line 1999\nline 2000\n");

    expect((await newTexts(opened)).at(-1)).toBe(
      "f1 a.txt v2 lines 1999-2000 of 2000\n~~~\nline 1999\nline 2000\n~~~",
    );
  });
});

describe("a file that is too large to be read, of which a tool has read lines", () => {
  const shown = numberedLines(20);

  async function openLarge(options: {
    readonly small: number;
  }): Promise<OpenedRead & { readonly tracker: FakeTracker }> {
    const tracker = fakeTracker();
    const opened = await openTestSession({
      files: { "/work/app.log": null },
      layout: epochLayout({ deactivate: "immediate", ...options }),
      tracker,
    });
    opened.files.setLarge("/work/app.log", 69_000_000);
    const history = scriptHistory();
    history.user("look at the log");
    const callId = history.call("read", { path: "app.log", limit: 20 }, shown);
    await opened.session.recordRead("app.log", { callId });
    await history.ingest(opened.session);
    return { ...opened, tracker, history, seen: { count: 0 } };
  }

  it.each([0, 120])("is named with its size below the result (small: %i)", async (small) => {
    const opened = await openLarge({ small });

    const texts = await newTexts(opened);

    expect(texts.at(-1)).toBe(`t1 ok\n~~~\n${shown}~~~\n[f1 app.log unread 69MB]`);
  });

  it("is reported with its old and its new size when it grows", async () => {
    const opened = await openLarge({ small: 120 });
    await newTexts(opened);
    await growTo(opened, 70_000_000);

    expect(await newTexts(opened)).toEqual([
      "[f1 app.log changed, v1 69MB -> v2 70MB; read it to see v2]",
    ]);
    expect(await newTexts(opened)).toEqual([]);
    await growTo(opened, 81_000_000);
    expect(await newTexts(opened)).toEqual([
      "[f1 app.log changed, v1 69MB -> v3 81MB; read it to see v3]",
    ]);
  });

  it("is tracked fully once its read is known, also after a restart", async () => {
    const opened = await openLarge({ small: 120 });
    await opened.session.recordNamed(["app.log"]);
    await newTexts(opened);
    const before = [...opened.tracker.tracked];
    await opened.reopen().then(async (session) => await session.status());

    expect(opened.tracker.named).toEqual(["/work/app.log"]);
    expect(before).toEqual(["/work/app.log"]);
    expect(opened.tracker.tracked).toEqual(["/work/app.log", "/work/app.log"]);
  });

  it("leaves the line of the call when the output leaves", async () => {
    const opened = await openLarge({ small: 0 });
    await newTexts(opened);
    opened.history.say("done");
    opened.history.user("and now");
    await opened.history.ingest(opened.session);
    await opened.session.deactivate("t1");
    const { messages } = await opened.session.nextView();

    expect(messages.map(textOfMessage).join("\n")).toContain("[t1 ok, ");
  });

  it("is not named if it is small and only a command has shown it", async () => {
    const opened = await openTestSession({
      files: { "/work/a.txt": shown },
      layout: epochLayout({ small: 0 }),
    });
    const history = scriptHistory();
    history.user("look");
    const callId = history.call("bash", { command: "cat a.txt" }, shown);
    await opened.session.recordNamed(["a.txt"], { callId });
    await history.ingest(opened.session);
    const read = { ...opened, history, seen: { count: 0 } };

    expect((await newTexts(read)).at(-1)).toBe(`t1 ok\n~~~\n${shown}~~~`);
  });

  it("is not read, whatever its size above 1 MiB, and its lines are stored as they were shown", async () => {
    const size = 1024 * 1024;
    const opened = await openTestSession({
      files: { "/work/app.log": "x".repeat(size + 1), "/work/notes.txt": shown.padEnd(size) },
    });
    opened.files.setLarge("/work/plan.png", size + 1);
    const history = scriptHistory();
    history.user("look");
    for (const path of ["app.log", "notes.txt", "plan.png"]) {
      const callId = history.call("read", { path, limit: 20 }, shown);
      await opened.session.recordRead(path, { callId });
    }
    await history.ingest(opened.session);

    // A picture is in the result as a whole, and none of it is stored.
    expect(opened.files.reads).toEqual(["/work/notes.txt", "/work/plan.png"]);
    const [file] = (await opened.store.find({ where: { path: "/work/app.log" } })).items;
    expect(file?.body).toMatchObject({ presence: "unread", size: size + 1 });
    const [call] = (await opened.store.find({ where: { type: "toolcall" } })).items;
    const stored = call && (await opened.store.get(call.body.id));
    expect(stored?.body).toMatchObject({ content: shown, file_refs: [{ id: file?.body.id }] });
  });

  it("is not read after an edit, but after a write of the whole text", async () => {
    const text = "line\n".repeat(300_000);
    const opened = await openTestSession({
      files: { "/work/app.log": text, "/work/made.txt": text.replaceAll("\n", "\r\n") },
    });
    const change = { path: "app.log", oldText: "line", newText: "LINE" };

    await opened.session.recordWrite("app.log", { args: change });
    await opened.session.recordWrite("made.txt", { args: { path: "made.txt", content: text } });

    expect(opened.files.reads).toEqual(["/work/made.txt"]);
    const { items } = await opened.store.find({ where: { type: "file" } });
    expect(items.map(({ body }) => [body["path"], body["presence"]])).toEqual([
      ["/work/app.log", "unread"],
      ["/work/made.txt", "present"],
    ]);
  });

  it("is not reported if it was only named", async () => {
    const tracker = fakeTracker();
    const opened = await openTestSession({ layout: epochLayout(), tracker });
    opened.files.setLarge("/work/app.log", 69_000_000);
    const history = scriptHistory();
    history.user("list them");
    const callId = history.call("ls", {}, "app.log\n");
    await opened.session.recordNamed(["app.log"], { callId });
    await history.ingest(opened.session);
    const read = { ...opened, tracker, history, seen: { count: 0 } };
    await newTexts(read);
    await growTo(read, 70_000_000);

    expect(tracker.tracked).toEqual([]);
    expect(new Set(tracker.named)).toEqual(new Set(["/work/app.log"]));
    expect(await newTexts(read)).toEqual([]);
  });

  async function growTo(
    { store, tracker }: OpenedRead & { readonly tracker: FakeTracker },
    size: number,
  ): Promise<void> {
    const [previous] = (await store.find({ where: { path: "/work/app.log" } })).items;
    if (previous === undefined) throw new Error("the file has no object");
    const facts = { realPath: "/work/app.log", kind: "file", size, modified: 0 } as const;
    const object = sealObject(unreadFileBody(previous.body.id, facts, previous.body));
    await store.commit([{ object, expect: previous.version }]);
    const stored = await store.get(previous.body.id);
    if (stored === undefined) throw new Error("the version is not stored");
    tracker.tell([{ id: stored.body.id, type: "changed", stored, previous }]);
  }
});

describe("a session that shows no text which the host has not shown", () => {
  const ask = { activateUnread: "ask" } as const;

  it("does not open a file that was only named", async () => {
    const { session } = await openTestSession({ files: { "/work/a.txt": "secret\n" }, ...ask });
    await session.recordNamed(["a.txt"]);

    expect(await session.activate("f1")).toMatchObject({
      ok: false,
      text: "f1 a.txt was not read in this session; call read with its path to see it.",
    });
  });

  it("activates only the lines that were read", async () => {
    const opened = await openRead(numberedLines(50), { offset: 5, limit: 2 }, ask);
    const { session } = opened;
    await session.deactivate("f1");

    expect(await session.activate("f1", { from: 20, to: 30 })).toMatchObject({
      ok: false,
      text: "f1 a.txt was read without these lines; call read with its path and these lines.",
    });
    expect(await session.activate("f1")).toMatchObject({
      text: "f1 a.txt is now active, lines 5-6 of 50.",
    });
  });

  it("names the lines that were read if more are asked for and those are in view", async () => {
    const opened = await openRead(numberedLines(50), { offset: 5, limit: 2 }, ask);
    const { history, session } = opened;
    const lines = { from: 1, to: 20 };
    await history.ask(
      "activate",
      { id: "f1", ...lines },
      async (callId) => await session.activate("f1", lines, { callId }),
    );
    await history.ingest(session);

    expect((await newTexts(opened)).at(-1)).toBe("[f1 a.txt v1 lines 5-6 unchanged, shown above]");
  });

  it("reports even a small change, and does not activate the changed file", async () => {
    const opened = await openRead(numberedLines(50), {}, ask);
    await changeByOthers(opened, numberedLines(50).replace("line 7\n", "TOKEN=abc123\n"));

    expect(await newTexts(opened)).toEqual([
      "[f1 a.txt changed, v1 391 chars -> v2 397 chars; read it to see v2]",
    ]);
    expect(await opened.session.activate("f1")).toMatchObject({
      ok: false,
      text: "f1 a.txt has changed since it was read; call read with its path to see it.",
    });
  });

  it("reports a change in the pooled layout instead of the former content", async () => {
    const opened = await openRead("old text\n", {}, { ...ask, layout: pooledLayout });
    await changeByOthers(opened, "new text\n");

    const { messages } = await opened.session.nextView();

    expect(messages.map(textOfMessage).at(-1)).toBe(
      "[f1 a.txt changed, v1 9 chars -> v2 9 chars; read it to see v2]\nActive: f1.",
    );
    expect(JSON.stringify(messages)).not.toContain("text\\n");
  });

  it("shows the model's own change of a file that it has read", async () => {
    const opened = await openRead(numberedLines(30), { offset: 5, limit: 2 }, ask);
    const changed = numberedLines(30).replace("line 6\n", "new\nlines\n");
    opened.files.set("/work/a.txt", changed);
    await opened.session.recordWrite("a.txt", {
      args: { oldText: "line 6\n", newText: "new\nlines\n" },
    });
    await opened.session.deactivate("f1");

    expect(await opened.session.activate("f1")).toMatchObject({
      text: "f1 a.txt is now active, lines 5-7 of 31.",
    });
  });

  it("shows nothing of a file if the model's change leaves no line that it has read", async () => {
    const opened = await openRead("one\ntwo\nthe secret\n", { offset: 2, limit: 1 }, ask);
    opened.files.set("/work/a.txt", "one\n2, the secret\n");

    await opened.session.recordWrite("a.txt", { args: { oldText: "two\n", newText: "2, " } });

    expect((await newTexts(opened)).join("\n")).not.toContain("secret");
    expect(await opened.session.activate("f1")).toMatchObject({ ok: false });
  });

  it("does not show a file that was written on another machine", async () => {
    const opened = await openTestSession({ files: { "/work/a.txt": "local secret\n" }, ...ask });
    await opened.session.recordWrite("a.txt", { args: { content: "remote\n" } });

    expect(await opened.session.activate("a.txt")).toMatchObject({ ok: false });
  });

  it("does not show a file that only another session has read", async () => {
    const opened = await openRead("one\n", {}, ask);
    const other = await opened.reopen(otherHost);

    expect(await other.activate("a.txt")).toMatchObject({
      ok: false,
      text: "f1 a.txt was not read in this session; call read with its path to see it.",
    });
  });

  it("knows after a restart what was read", async () => {
    const opened = await openRead(numberedLines(50), { offset: 5, limit: 2 }, ask);
    await opened.session.deactivate("f1");

    const again = await opened.reopen();

    expect(await again.activate("f1")).toMatchObject({
      text: "f1 a.txt is now active, lines 5-6 of 50.",
    });
  });
});

type OpenedRead = TestSession & {
  readonly history: ScriptedHistory;
  /** The number of messages in the views so far. */
  readonly seen: { count: number };
};

async function openRead(
  text: string,
  lines: { readonly offset?: number; readonly limit?: number } = {},
  options: Pick<TestSessionOptions, "activateUnread" | "layout" | "tracker"> = {},
): Promise<OpenedRead> {
  const opened = await openTestSession({
    files: { "/work/a.txt": text },
    layout: epochLayout({ small: 0 }),
    ...options,
  });
  const history = scriptHistory();
  history.user("go on");
  const read = { ...opened, history, seen: { count: 0 } };
  const { offset = 1, limit = 9_999 } = lines;
  const shown = text
    .split("\n")
    .slice(offset - 1, offset - 1 + limit)
    .join("\n");
  await readAs(read, shown, lines);
  await newTexts(read);
  return read;
}

async function read(
  opened: OpenedRead,
  text: string,
  lines: { readonly offset?: number },
  shown: string,
): Promise<void> {
  opened.files.set("/work/a.txt", text);
  await readAs(opened, shown, lines);
}

async function readAs(
  { session, history }: OpenedRead,
  shown: string,
  lines: { readonly offset?: number; readonly limit?: number },
): Promise<void> {
  const callId = history.call("read", { path: "a.txt", ...lines }, shown);
  await session.recordRead("a.txt", { callId });
  await history.ingest(session);
}

async function changeByOthers({ session, files }: OpenedRead, text: string): Promise<void> {
  files.set("/work/a.txt", text);
  await session.recordWrite("a.txt", { args: {} });
}

/** Returns the texts of the messages that the next view has more than the last one. */
async function newTexts({ session, seen }: OpenedRead): Promise<readonly string[]> {
  const { messages } = await session.nextView();
  const texts = messages.slice(seen.count).map(textOfMessage);
  seen.count = messages.length;
  return texts;
}
