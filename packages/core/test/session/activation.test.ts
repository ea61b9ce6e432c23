import { describe, expect, it } from "vitest";
import type { ToolResultMessage } from "../../src/chat/message.ts";
import { readList } from "../../src/host/read-list.ts";
import { windowPolicy } from "../../src/policy/window-policy.ts";
import { numberedLines } from "./fake-files.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession, otherHost, plainCodec } from "./test-session.ts";
import { handlesIn, promptId, storedSession, versionCount, viewParts } from "./view-parts.ts";

const files = { "/work/a.ts": "let a = 1;\n", "/work/b.md": "# b\n", "/work/logo.png": null };

describe("activate and deactivate", () => {
  it("show the output of an old tool call again, and remove it again", async () => {
    const { session } = await openTestSession({ policy: windowPolicy({ calls: 1 }) });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "OLD");
    history.call("bash", { command: "b" }, "NEW");
    await history.ingest(session);
    expect((await viewParts(session)).activeTexts.join()).not.toContain("OLD");

    const shown = await session.activate("t1");

    expect(shown).toMatchObject({ ok: true, text: 't1 bash "a" is now active.' });
    expect((await viewParts(session)).activeTexts.join()).toContain("OLD");

    const gone = await session.deactivate("t1");
    expect(gone.text).toBe('t1 bash "a" is inactive; activate t1 restores it.');
    const { activeTexts, pool } = await viewParts(session);
    expect(activeTexts.join()).not.toContain("OLD");
    expect(pool.join()).toContain("t1");
  });

  it("accept lines, and add them to the lines that are shown already (D41)", async () => {
    const { session } = await openTestSession({ files: { "/work/long.txt": numberedLines(20) } });
    await session.recordNamed(["long.txt"]);

    await session.activate("f1", { from: 3, to: 4 });
    const wider = await session.activate("f1", { from: 7, to: 8 });

    expect(wider.text).toBe("f1 long.txt is already active, lines 3-4, 7-8 of 20.");
    expect((await viewParts(session)).activeTexts.slice(0, 2)).toEqual([
      "f1 long.txt v2 lines 3-4 of 20\n~~~\nline 3\nline 4\n~~~",
      "f1 long.txt v2 lines 7-8 of 20\n~~~\nline 7\nline 8\n~~~",
    ]);
    expect(await session.activate("f1", { from: 40 })).toMatchObject({
      ok: false,
      text: "f1 long.txt: line 40 is outside the text, which has 20 lines.",
    });
  });

  it("show the lines of an output that the host shows, and others of the whole output", async () => {
    const { session } = await openTestSession();
    const wholeText = numberedLines(20);
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "line 1\nline 2\nli[18 lines more]", { wholeText });
    history.call("bash", { command: "b" }, "line 1\nother\n3\n4\n[17 lines more]", { wholeText });
    await history.ingest(session);
    const before = (await viewParts(session)).activeTexts;

    await session.activate("t1", { from: 19, to: 20 });

    expect(before.slice(0, 2)).toEqual([
      't1 bash "a" lines 1-2 of 20\n~~~\nline 1\nline 2\n~~~',
      't2 bash "b"\n~~~\nline 1\nother\n3\n4\n[17 lines more]\n~~~',
    ]);
    expect((await viewParts(session)).activeTexts.join("\n")).toContain("\nline 19\nline 20\n");
  });

  it("share a call whose host shows only a part with a fork", async () => {
    const wholeText = numberedLines(20);
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "line 1\nline 2\nli[18 lines more]", { wholeText });
    const opened = await openTestSession();
    await history.ingest(opened.session);

    const { wholeText: _whole, ...shown } = history.messages[2] as ToolResultMessage;
    const fork = await opened.reopen(otherHost);
    await fork.ingest(readList([...history.messages.slice(0, 2), shown], plainCodec));

    const { items } = await opened.store.find({ where: { type: "toolcall" } });
    expect(items).toHaveLength(1);
    expect((await viewParts(fork)).activeTexts[0]).toContain("lines 1-2 of 20");
  });

  it("make no new version when they are repeated (D42)", async () => {
    const { session, store } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    await session.pin("f1");
    const before = await versionCount(store);

    const activated = await session.activate("f1");
    const pinned = await session.pin("f1");
    const between = await versionCount(store);
    await session.deactivate("f1");
    const after = await versionCount(store);
    const deactivated = await session.deactivate("f1", { callId: "call_2" });
    const unpinned = await session.unpin("f1");

    expect([activated, pinned, deactivated, unpinned]).toEqual(
      ["already active", "pinned already", "inactive already", "not pinned"].map((state) => ({
        ok: true,
        text: `f1 a.ts is ${state}.`,
        effects: [],
      })),
    );
    expect(between).toBe(before);
    expect(await versionCount(store)).toBe(after);
  });

  it("agree with pins: pin activates, deactivate unpins (D42)", async () => {
    const { session } = await openTestSession({ files });
    await session.recordNamed(["a.ts"]);

    await session.pin("f1");
    expect(await handlesIn(session, "pinned")).toEqual(["f1"]);

    await session.deactivate("f1");
    expect(await handlesIn(session, "inactive")).toEqual(["f1"]);
    await session.activate("f1");
    expect(await handlesIn(session, "active")).toEqual(["f1"]);
  });

  it("are refused for locked objects, with a message", async () => {
    const { session, store } = await openTestSession();
    await session.recordSystemPrompt("host", "Be good.");
    const { chatId, sessionId } = await session.status();
    const prompt = await promptId(store, session, "host");

    for (const target of [chatId, "chat", sessionId, prompt]) {
      expect(await session.deactivate(target)).toMatchObject({ ok: false, effects: [] });
      expect((await session.deactivate(target)).text).toMatch(
        /is locked and cannot be deactivated/u,
      );
      expect((await session.activate(target)).text).toMatch(
        target === sessionId || target === prompt
          ? /is locked; it is always in the context/u
          : /chat has no turns yet/u,
      );
    }
    expect((await storedSession(store, session))["active_set"]).toEqual([chatId, prompt]);
  });

  it("report why there is no content: not text, or a missing file without a text", async () => {
    const opened = await openTestSession({ files: { ...files, "/work/gone.ts": "x" } });
    const { session } = opened;
    await session.read({ path: "logo.png" });
    await session.recordNamed(["gone.ts"]);
    opened.files.delete("/work/gone.ts");
    await session.read({ path: "gone.ts" });

    expect((await session.activate("f1")).text).toBe(
      "f1: content unavailable (non-text file, 7 bytes).",
    );
    expect((await session.activate("f2")).text).toBe(
      "f2: the file is missing; it was last at /work/gone.ts at 2023-11-14T22:13:20.000Z, and was found missing at 2023-11-14T22:13:20.000Z. Its earlier versions are kept.",
    );
  });
});
