import {
  metadataVersion,
  type ObjectStore,
  sealObject,
  silentLogger,
  type StoredVersion,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import type { FileChange } from "@self-context-manager/tracker";
import { describe, expect, test } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { openContextSession } from "../../src/session/open-context-session.ts";
import { numberedLines } from "./fake-files.ts";
import { fakeTracker } from "./fake-tracker.ts";
import { chatAbout, type ScriptedHistory, scriptHistory } from "./script-history.ts";
import { openTestSession, otherHost, type TestSession } from "./test-session.ts";
import { idOf, latest, promptId, storedSession, storedTurns, viewParts } from "./view-parts.ts";

const files = { "/work/a.ts": "let a = 1;\n", "/work/long.txt": numberedLines(20) };

describe("activate", () => {
  test.each([
    [{ from: 19 }, "lines 19-20 of 20"],
    [{ to: 2 }, "lines 1-2 of 20"],
  ])("accepts one end of the lines: %j", async (lines, shown) => {
    const { session } = await openTestSession({ files });
    await session.recordNamed(["long.txt"]);

    const answer = await session.activate("f1", lines);

    expect(answer.text).toBe(`f1 long.txt is now active, ${shown}.`);
  });

  test("reports an object that is active already, also if it is not the newest", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "long.txt" });
    await session.read({ path: "a.ts" });

    const answer = await session.activate("f1");

    expect(answer.text).toBe("f1 long.txt is already active.");
  });

  test("shows lines of the chat although the chat is locked", async () => {
    const { session } = await openTestSession();
    await chatAbout("one\ntwo\nthree").ingest(session);

    const answer = await session.activate("chat", { from: 2, to: 3 });

    expect(answer).toMatchObject({ ok: true });
    expect(answer.text).toMatch(/^c1 \(the chat\) is now active, lines 2-3\.$/u);
  });

  test("refuses lines that the chat does not have", async () => {
    const { session } = await openTestSession();
    await chatAbout("one").ingest(session);

    const answer = await session.activate("chat", { from: 90 });

    expect(answer).toMatchObject({ ok: false });
    expect(answer.text).toMatch(/^the chat: line 90 is outside the text/u);
  });
});

const newText = "NEW TEXT\n".repeat(60);

const mayStay =
  "f1 long.txt is inactive; its text stays for now, and may stay longer in short results and in arguments of calls; activate f1 restores it.";

/** The model replaces the text of a file, with arguments that are too short to leave the view. */
async function change(
  { session, files: disk }: TestSession,
  history: ScriptedHistory,
  tool: string,
): Promise<void> {
  const args = { path: "long.txt", [tool === "write" ? "content" : "newText"]: newText };
  disk.set("/work/long.txt", newText);
  await session.recordWrite("long.txt", { callId: "call_w", args });
  history.call(tool, args, "written", { id: "call_w" });
  await history.ingest(session);
}

describe("deactivate", () => {
  test("reports that a sent text is dropped later", async () => {
    const { session } = await openTestSession({ files, layout: epochLayout() });
    await session.read({ path: "long.txt" });
    await session.nextView();

    const answer = await session.deactivate("f1");

    expect(answer.text).toBe(
      "f1 long.txt is inactive; its text stays for now; activate f1 restores it.",
    );
  });

  test.each(["write", "edit"])(
    "reports that text may stay longer if the model changed the file by %s",
    async (tool) => {
      const clock = { time: 0, now: (): number => clock.time };
      const opened = await openTestSession({ files, layout: epochLayout(), clock });
      const { session } = opened;
      const history = scriptHistory();
      history.user("go");
      await history.read(session, "long.txt");
      await history.ingest(session);
      await session.nextView();
      await change(opened, history, tool);
      await session.nextView();

      const answer = await session.deactivate("f1");

      expect(answer.text).toBe(mayStay);
      clock.time += 24 * 3_600_000;
      const text = await nextView(session, history);
      expect(text).toContain("NEW TEXT");
      expect(text).not.toContain("~~~");
    },
  );

  test("reports that text may stay longer if the file was read after the change", async () => {
    const opened = await openTestSession({ layout: epochLayout() });
    const { session } = opened;
    const history = scriptHistory();
    history.user("go");
    await change(opened, history, "write");
    await history.read(session, "long.txt");
    await history.ingest(session);
    await session.nextView();

    const answer = await session.deactivate("f1");

    expect(answer.text).toBe(mayStay);
  });

  test("reports that text may stay longer if the same answer changes the file", async () => {
    const { session, files: disk } = await openTestSession({ files, layout: epochLayout() });
    await session.read({ path: "long.txt" });
    await session.nextView();
    disk.set("/work/long.txt", newText);
    await session.recordWrite("long.txt", { callId: "call_w", args: { content: newText } });

    const answer = await session.deactivate("f1");

    expect(answer.text).toBe(mayStay);
  });

  test("reports that a short output stays", async () => {
    const { session } = await openTestSession({ files, layout: epochLayout() });
    const history = await workAndLook(session);

    const answer = await session.deactivate("t1");

    expect(answer.text).toMatch(
      /^t1 bash "a" is inactive; its text \(\d+ tokens\) stays, because so short a text is not removed by itself\.$/u,
    );
    expect(await nextView(session, history)).toContain("DONE");
  });

  test("removes every output with the next call if the settings say so", async () => {
    const layout = epochLayout({ small: 0, deactivate: "immediate" });
    const { session } = await openTestSession({ files, layout });
    const history = await workAndLook(session);

    const answer = await session.deactivate("t1");

    expect(answer.text).toBe('t1 bash "a" is inactive; activate t1 restores it.');
    expect(await nextView(session, history)).not.toContain("DONE");
  });

  test("does not report this for a text that was never sent", async () => {
    const { session } = await openTestSession({ files, layout: epochLayout() });
    await chatAbout("go").ingest(session);
    await session.nextView();
    await session.read({ path: "a.ts" });

    const answer = await session.deactivate("f1");

    expect(answer.text).toBe("f1 a.ts is inactive; activate f1 restores it.");
  });
});

test("unpin reports the unpinned object and its effect", async () => {
  const { session } = await openTestSession({ files });
  await session.read({ path: "a.ts" });
  await session.pin("f1");

  const answer = await session.unpin("f1");

  expect(answer).toEqual({
    ok: true,
    text: "f1 a.ts is no longer pinned.",
    effects: [{ op: "unpin", id: await idOf(session, "f1") }],
  });
});

describe("a target", () => {
  test("that is the system prompt is called so in the answer", async () => {
    const { session, store } = await openTestSession();
    await session.recordSystemPrompt("own", "You know your context.");

    const answer = await session.activate(await promptId(store, session, "own"));

    expect(answer.text).toBe("the system prompt (own) is locked; it is always in the context.");
  });

  test("can be a locked object when it is inspected by id", async () => {
    const { session } = await openTestSession();
    await chatAbout("hello").ingest(session);
    const { chatId } = await session.status();

    const found = await session.inspect("chat");

    expect(found).toMatchObject({ body: { id: chatId, type: "chat" } });
  });

  test("can be an object of another session when it is inspected by nickname", async () => {
    const opened = await openTestSession({ files });
    await opened.session.read({ path: "a.ts" });
    await opened.session.name("f1", "the-plan");
    const session = await opened.reopen(otherHost);

    const found = await session.inspect("the-plan");

    expect(found).toMatchObject({ body: { type: "file", content: "let a = 1;\n" } });
  });
});

describe("the payload of a call", () => {
  const hash = "ab".repeat(32);

  test.each(["short", "AB".repeat(32), `${"ab".repeat(32)}0`])(
    "is refused if it is not a hexadecimal SHA-256: %s",
    async (bad) => {
      const { session } = await openTestSession();
      await chatAbout("hello").ingest(session);
      await session.nextView();

      await expect(session.recordPayload(1, bad)).rejects.toThrow("64 hexadecimal digits");
    },
  );

  test("is stored with the answer to the call, and with no other", async () => {
    const { session, store } = await openTestSession();
    const history = scriptHistory();
    history.user("hello");
    await history.ingest(session);
    await session.nextView();
    await session.recordPayload(1, hash);
    await session.recordPayload(2, "cd".repeat(32));
    history.say("hi");
    history.user("more");
    await history.ingest(session);
    await session.recordPayload(1, "ef".repeat(32));
    await session.nextView();
    history.say("well");
    await history.ingest(session);

    const turns = await storedTurns(store, session);
    expect(turns.map(({ steps }) => steps.map((step) => step["payload_hash" as never]))).toEqual([
      [hash],
      [undefined],
    ]);
  });
});

describe("a reopened session", () => {
  test("keeps the calls of context tools whose results have not arrived", async () => {
    const opened = await openTestSession({ files });
    await opened.session.read({ path: "a.ts" }, { callId: "call_1" });

    const body = await storedSession(opened.store, opened.session);

    expect(body["pending_calls"]).toEqual(["call_1"]);
  });

  test("keeps the active lines and the requested objects", async () => {
    const opened = await openTestSession({ files });
    await opened.session.recordNamed(["long.txt"]);
    await opened.session.activate("f1", { from: 3, to: 4 });

    const again = await opened.reopen();

    expect((await viewParts(again)).activeTexts[0]).toBe(
      "f1 long.txt v2 lines 3-4 of 20\n~~~\nline 3\nline 4\n~~~",
    );
  });
});

test("a file that is not text is unchanged when it is read again", async () => {
  const opened = await openTestSession({ files: { "/work/logo.png": null } });
  await opened.session.read({ path: "logo.png" });

  const answer = await opened.session.read({ path: "logo.png" });

  expect(answer.text).toContain("unchanged");
});

test("the effects of a tool can wait for the commit of its result, and those of the user cannot", async () => {
  const inner = memoryStore();
  const followed: boolean[] = [];
  const store: ObjectStore = {
    ...inner,
    commit: async (writes, options) => {
      followed.push(options?.isFollowed === true);
      return await inner.commit(writes, options);
    },
  };
  const { session } = await openTestSession({ store, files });

  await session.read({ path: "a.ts" }, { callId: "call_1" });
  const byModel = followed.at(-1);
  await session.deactivate("f1");
  const byPerson = followed.at(-1);

  expect([byModel, byPerson]).toEqual([true, false]);
});

test.each([
  { results: 1, waits: 1 },
  { results: 70, waits: 2 },
])(
  "a call with $results results waits for $waits commits, and for two transactions",
  async ({ results, waits }) => {
    const inner = memoryStore();
    const commits: (readonly string[])[] = [];
    const store: ObjectStore = {
      ...inner,
      commit: async (writes, options) => {
        const result = await inner.commit(writes, options);
        commits.push(result.versions.map(({ at }) => `${at.tx_id}`));
        return result;
      },
    };
    const { session } = await openTestSession({ store, files });
    const history = chatAbout("one");
    await history.ingest(session);
    for (let count = 0; count < results; count += 1)
      history.call("bash", { command: "ls" }, "a.ts\n");
    commits.length = 0;

    await history.ingest(session);

    const { chatId } = await session.status();
    const chat = await latest(store, chatId);
    const call = await latest(store, await idOf(session, `t${results}`));
    expect(commits).toHaveLength(waits);
    expect(new Set(commits.flat())).toEqual(new Set([`${chat.at.tx_id}`, `${call.at.tx_id}`]));
    expect(call.at.tx_id).toBe(chat.at.tx_id + 1);
    expect(call.body["chat_ref"]).toMatchObject({ ref: "static", tx_id: chat.at.tx_id });
  },
);

describe("a session that follows files", () => {
  test("accepts a newer version from its tracker, and no older one", async () => {
    const tracker = fakeTracker();
    const { session, store } = await openTestSession({ files, tracker });
    await session.read({ path: "a.ts" });
    const id = await idOf(session, "f1");
    const first = await latest(store, id);
    await store.commit([{ object: sealObject({ ...first.body, content: "let a = 2;\n" }) }]);
    const second = await latest(store, id);

    tracker.tell([changeOf(first, second)]);
    const newer = (await viewParts(session)).activeTexts[0];
    tracker.tell([changeOf(second, first)]);
    const older = (await viewParts(session)).activeTexts[0];

    expect(newer).toBe("f1 a.ts v2\n~~~\nlet a = 2;\n~~~");
    expect(older).toBe(newer);
  });

  test("ignores a change without a version", async () => {
    const tracker = fakeTracker();
    const { session, store } = await openTestSession({ files, tracker });
    await session.read({ path: "a.ts" });
    const stored = await latest(store, await idOf(session, "f1"));

    const before = (await viewParts(session)).activeTexts;
    tracker.tell([
      {
        id: stored.body.id,
        type: "outdated",
        stored: { ...metadataVersion(stored), version: 9 },
        reason: "",
      },
    ]);

    expect((await viewParts(session)).activeTexts).toEqual(before);
  });

  test("tracks files that were read fully, and those that were only named for moves and deletion", async () => {
    const tracker = fakeTracker();
    const { session } = await openTestSession({ files, tracker });
    await session.recordNamed(["long.txt"]);
    await session.read({ path: "a.ts" });

    await viewParts(session);

    expect(tracker.tracked).toEqual(["/work/a.ts"]);
    expect(tracker.named).toEqual(["/work/long.txt"]);
  });

  test("continues with a warning if its files cannot be watched", async () => {
    const tracker = fakeTracker();
    const warnings: (readonly [string, unknown])[] = [];
    const { dependencies } = await openTestSession({ files, tracker });
    const logger = {
      ...silentLogger,
      warn: (message: string, fields?: object) => void warnings.push([message, fields]),
    };
    const session = await openContextSession({ ...dependencies, logger }, otherHost);
    const error = new Error("the watcher is closed");
    tracker.fail(error);

    const answer = await session.read({ path: "a.ts" });
    await viewParts(session);

    expect(answer.ok).toBe(true);
    expect(warnings).toContainEqual(["files are not watched", { error }]);
  });
});

function changeOf(previous: StoredVersion, stored: StoredVersion): FileChange {
  return { id: stored.body.id, type: "changed", stored, previous: metadataVersion(previous) };
}

/** Runs a command with a short output and shows it to the model. */
async function workAndLook(session: ContextSession): Promise<ScriptedHistory> {
  const history = scriptHistory();
  history.user("go");
  history.call("bash", { command: "a" }, "DONE");
  await history.ingest(session);
  await session.nextView();
  return history;
}

async function nextView(session: ContextSession, history: ScriptedHistory): Promise<string> {
  history.say("Well.");
  history.user("go on");
  await history.ingest(session);
  return JSON.stringify((await session.nextView()).messages);
}
