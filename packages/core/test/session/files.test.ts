import { objectId, sealObject, type StaticReference } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import { numberedLines } from "./fake-files.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession, otherHost } from "./test-session.ts";
import {
  bodyOf,
  handlesIn,
  idOf,
  latest,
  storedSession,
  textOfMessage,
  versionCount,
  viewParts,
} from "./view-parts.ts";

describe("read", () => {
  it("reports each of its three steps: indexed, in the pool, active (D40)", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "one\ntwo\n" } });
    const { session, files } = opened;

    const first = await session.read({ path: "a.ts" });
    const again = await session.read({ path: "a.ts" });
    files.set("/work/a.ts", "one\ntwo\nthree\n");
    const changed = await session.read({ path: "./a.ts" });
    await session.deactivate("f1");
    const back = await session.read({ path: "/work/a.ts" });

    expect([first.text, again.text, changed.text, back.text]).toEqual([
      "f1 a.ts: indexed, version 1; joined the pool; active, 2 lines.",
      "f1 a.ts: unchanged since version 1; already in the pool; already active, 2 lines." +
        " It is already in the context; do not read it again.",
      "f1 a.ts: changed, now version 2; already in the pool; active, refreshed, 3 lines.",
      "f1 a.ts: unchanged since version 2; already in the pool; active, 3 lines." +
        " activate f1 shows a known file.",
    ]);
  });

  it("returns the lines of the file to the user, which the store and the view have once (§18.1)", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": numberedLines(9) } });
    const { session, store } = opened;
    const history = scriptHistory();
    history.user("go");
    const request = { path: "a.ts", offset: 4, limit: 2 };
    const answer = await history.ask(
      "read",
      request,
      async (callId) => await session.read(request, { callId }),
    );
    await history.ingest(session);

    expect(answer.hostText).toBe(`line 4\nline 5\n\n[${answer.text}]`);
    const call = await latest(store, await idOf(session, "t1"));
    expect(call.body).toMatchObject({ content: answer.text, context_tool: true });
    const resumed = await opened.reopen(otherHost);
    await history.ingest(resumed);
    for (const one of [session, resumed]) {
      const { messages } = await one.nextView();
      const texts = messages.map(textOfMessage).join("\n");
      expect(texts.split("line 4")).toHaveLength(2);
      expect(texts).toContain("f1 a.ts v1 lines 4-5 of 9");
    }
  });

  it("is an ordinary output if somebody has changed its text", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "secret words\n" } });
    const history = scriptHistory();
    history.user("go");
    await history.ask("read", { path: "a.ts" }, async (callId) => {
      const answer = await opened.session.read({ path: "a.ts" }, { callId });
      return { ...answer, hostText: "[redacted]" };
    });
    await history.ingest(opened.session);

    const call = await latest(opened.store, await idOf(opened.session, "t1"));
    expect(call.body).toMatchObject({ content: "[redacted]" });
  });

  it("shows one copy of a file in its newest version, however often and by whatever path it was read", async () => {
    const { session, files } = await openTestSession({ files: { "/work/a.ts": "old text\n" } });
    files.link("/work/link.ts", "/work/a.ts");
    await session.read({ path: "a.ts" });
    await session.read({ path: "link.ts" });
    files.set("/work/a.ts", "new text\n");
    await session.read({ path: "./sub/../a.ts" });

    const { activeTexts, pool } = await viewParts(session);

    expect(activeTexts).toEqual(["f1 a.ts v2\n~~~\nnew text\n~~~", "Active: f1."]);
    expect(pool).toEqual(["f1 a.ts typescript 9 v2"]);
    expect((await session.status()).objects).toHaveLength(1);
  });

  it("indexes the whole file and shows the requested lines (D40)", async () => {
    const text = numberedLines(9);
    const opened = await openTestSession({ files: { "/work/a.ts": text } });
    const { session } = opened;

    const answer = await session.read({ path: "a.ts", offset: 4, limit: 2 });

    expect(answer.text).toMatch(/active, lines 4-5 of 9\.$/u);
    expect((await bodyOf(opened, "f1")).content).toBe(text);
    expect((await viewParts(session)).activeTexts[0]).toBe(
      "f1 a.ts v1 lines 4-5 of 9\n~~~\nline 4\nline 5\n~~~",
    );
    expect(await session.read({ path: "a.ts", offset: 99 })).toMatchObject({
      ok: false,
      text: "f1 a.ts: line 99 is outside the text, which has 9 lines.",
    });
  });

  it("shows the beginning of a very long file and indexes all of it", async () => {
    const { session } = await openTestSession({
      files: { "/work/long.txt": numberedLines(5_000) },
    });

    const answer = await session.read({ path: "long.txt" });

    expect(answer.text).toMatch(/active, lines 1-2000 of 5000\.$/u);
  });

  it("finds the note at a path, and makes no second object for it (D16)", async () => {
    const { session, store } = await openTestSession({ files: { "/work/n.md": "# n\n" } });
    const note = {
      id: objectId("note-1"),
      type: "note",
      locked: false,
      content: "# n\n",
      path: "/work/n.md",
      presence: "present",
      provenance: { origin: "/work/n.md", generator: "human" as const },
    };
    await store.commit([{ object: sealObject(note) }]);

    const answer = await session.read({ path: "n.md" });

    expect(answer.text).toContain("n1 n.md: unchanged since version 1");
    expect((await store.find({ where: { path: "/work/n.md" } })).items).toHaveLength(1);
  });

  it("reports a directory, a missing file and a file that is not text, and stores no damaged text", async () => {
    const { session, store } = await openTestSession({
      files: { "/work/src/a.ts": "x", "/work/logo.png": null },
    });
    await session.recordSystemPrompt("host", "Be good.");
    const before = await versionCount(store);

    const directory = await session.read({ path: "src" });
    const missing = await session.read({ path: "nowhere.ts" });
    expect([directory.ok, missing.ok]).toEqual([false, false]);
    expect(directory.text).toBe("/work/src is a directory. Not indexed.");
    expect(missing.text).toBe("There is no file at /work/nowhere.ts. Not indexed.");
    expect(await versionCount(store)).toBe(before);

    const binary = await session.read({ path: "logo.png" });
    expect(binary).toMatchObject({ ok: true });
    expect(binary.text).toBe(
      "f1 logo.png: indexed, version 1; joined the pool; not active. f1: content unavailable (non-text file, 7 bytes).",
    );
    expect((await viewParts(session)).activeTexts).toEqual([]);
  });
});

describe("files that were only named", () => {
  it("join the pool unread; directories and missing files are ignored", async () => {
    const { session, files } = await openTestSession({
      files: { "/work/a.ts": "x\n", "/work/src/b.ts": "y\n" },
    });

    await session.recordNamed(["a.ts", "src", "3.14s", "v1.2.3", "src/b.ts", "./a.ts"]);

    expect((await viewParts(session)).pool).toEqual([
      "f1 a.ts typescript unread 2B",
      "f2 src/b.ts typescript unread 2B",
    ]);
    expect(files.reads).toEqual([]);
  });

  it("are read when they are activated", async () => {
    const { session, files } = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    await session.recordNamed(["a.ts"]);

    const answer = await session.activate("f1");

    expect(answer).toMatchObject({ ok: true, text: "f1 a.ts is now active." });
    expect(files.reads).toEqual(["/work/a.ts"]);
    expect((await viewParts(session)).activeTexts[0]).toBe("f1 a.ts v2\n~~~\nx\n~~~");
  });

  it("are not read if they are missing when they are activated", async () => {
    const { session, files } = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    await session.recordNamed(["a.ts"]);
    files.delete("/work/a.ts");

    const answer = await session.activate("f1");

    expect(answer).toMatchObject({
      ok: false,
      text: "f1: the file is missing; it was last at /work/a.ts at 2023-11-14T22:13:20.000Z, and was found missing at 2023-11-14T22:13:20.000Z. Its earlier versions are kept.",
    });
    expect((await viewParts(session)).pool).toEqual(["f1 a.ts typescript deleted"]);
  });

  it("need an explicit read if a link leads out of the workspace or the name suggests secrets (D40)", async () => {
    const { session, files } = await openTestSession({
      files: { "/work/.env": "KEY=1\n", "/etc/passwd": "root\n", "/work/a.ts": "x" },
    });
    files.link("/work/link", "/etc/passwd");
    await session.recordNamed([".env", "link"]);

    const secret = await session.activate("f1");
    const outside = await session.activate("f2");

    expect(secret.text).toBe(
      "f1 was not read because its name looks like a secret's; call read with its path to open it.",
    );
    expect(outside.text).toBe(
      "f2 was not read because it lies outside the workspace; call read with its path to open it.",
    );
    expect(files.reads).toEqual([]);
    expect((await session.read({ path: ".env" })).ok).toBe(true);
    expect((await session.read({ path: "link" })).ok).toBe(true);
    expect(await handlesIn(session, "active")).toEqual(["f1", "f2"]);
  });

  it("keep their known content when they are named again", async () => {
    const { session, store } = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    await session.read({ path: "a.ts" });
    const before = await versionCount(store);

    await session.recordNamed(["a.ts"]);

    expect(await versionCount(store)).toBe(before);
    expect(await handlesIn(session, "active")).toEqual(["f1"]);
  });
});

describe("files that are written, deleted and created again", () => {
  it("are reported as deleted if their text is in the view, although they are inactive", async () => {
    const text = "some words in a file\n".repeat(40);
    const { session, files } = await openTestSession({
      layout: epochLayout(),
      files: { "/work/a.ts": text },
    });
    const history = scriptHistory();
    history.user("go");
    await history.read(session, "a.ts");
    await history.ingest(session);
    await session.nextView();
    await session.deactivate("f1");

    files.delete("/work/a.ts");
    await session.read({ path: "a.ts" });

    const { messages } = await session.nextView();
    expect(messages.map(textOfMessage).at(-1)).toBe("[f1 a.ts deleted]");
  });

  it.each([pooledLayout, epochLayout()])(
    "are inactive once they are deleted, also if they were pinned, and in a resumed session ($name) (D12)",
    async (layout) => {
      const opened = await openTestSession({
        layout,
        files: { "/work/a.ts": "one\n", "/work/b.ts": "two\n" },
      });
      const { session, files } = opened;
      for (const path of ["a.ts", "b.ts"]) await session.read({ path });
      await session.pin("f2");
      for (const path of ["a.ts", "b.ts"]) {
        files.delete(`/work/${path}`);
        await session.read({ path });
      }

      expect(await handlesIn(session, "active")).toEqual([]);
      const { active_set: active, pinned_set: pinned } = await storedSession(opened.store, session);
      expect([active, pinned]).toEqual([[(await session.status()).chatId], []]);
      expect(await handlesIn(await opened.reopen(), "active")).toEqual([]);
      files.set("/work/a.ts", "one\n");
      await session.read({ path: "a.ts" });
      expect(await handlesIn(session, "active")).toEqual(["f1"]);
    },
  );

  it.each([pooledLayout, epochLayout()])(
    "are inactive once they are no longer text, and only metadata ($name)",
    async (layout) => {
      const { session, files } = await openTestSession({
        layout,
        files: { "/work/a.ts": "one\n" },
      });
      const history = scriptHistory();
      history.user("go");
      await history.read(session, "a.ts");
      await history.ingest(session);
      await session.nextView();

      files.set("/work/a.ts", null);
      await session.recordWrite("a.ts");

      expect(await handlesIn(session, "active")).not.toContain("f1");
      const { messages } = await session.nextView();
      expect(JSON.stringify(messages)).toContain("f1 a.ts");
      expect(await session.activate("f1")).toMatchObject({ ok: false });
    },
  );

  it("join the pool as inactive, with the generator `agent` (D43)", async () => {
    const opened = await openTestSession();
    const { session, files } = opened;
    files.set("/work/new.md", "# new\n");

    await session.recordWrite("new.md");

    expect(await handlesIn(session, "inactive")).toEqual(["f1"]);
    expect((await bodyOf(opened, "f1")).provenance).toEqual({
      origin: "/work/new.md",
      generator: "agent",
    });
  });

  it("are among the references of a command that changed them, in their new version (§24.2)", async () => {
    const opened = await openTestSession({
      files: { "/work/a.ts": "old\n", "/work/b.ts": "same\n", "/work/.env": "KEY=1\n" },
    });
    const { session, store, files } = opened;
    const history = scriptHistory();
    history.user("go");
    for (const path of ["a.ts", "b.ts", ".env"]) await history.read(session, path);
    await history.ingest(session);
    files.set("/work/a.ts", "newer\n");
    files.set("/work/.env", "KEY=22\n");
    const command = { command: "sed -i s/old/newer/ a.ts b.ts .env" };
    const callId = history.call("bash", command, "(no output)");
    await session.recordNamed(["a.ts", "b.ts", ".env"], { callId });
    await history.ingest(session);

    const { file_refs: references } = (await latest(store, callId)).body;
    const versions = await Promise.all(
      (references as readonly StaticReference[]).map(
        async ({ id, tx_id: txId }) => (await store.get(id, { txId }))?.body.content,
      ),
    );
    expect(versions).toEqual(["newer\n", "same\n", "KEY=1\n"]);
    expect((await latest(store, await idOf(session, "f1"))).version).toBe(2);
  });

  it("are refreshed if they are active (D43), and the tool call refers to them", async () => {
    const { session, store, files } = await openTestSession({ files: { "/work/a.ts": "old\n" } });
    const history = scriptHistory();
    history.user("go");
    await session.read({ path: "a.ts" });
    files.set("/work/a.ts", "new\n");
    await session.recordWrite("a.ts", { callId: "call_1" });
    history.call("edit", { path: "a.ts" }, "edited", { id: "call_1" });
    await history.ingest(session);

    const { activeTexts } = await viewParts(session);

    expect(activeTexts[0]).toBe("f1 a.ts v2\n~~~\nnew\n~~~");
    expect((await latest(store, "call_1")).body["file_refs"]).toMatchObject([
      { ref: "static", tx_id: expect.any(Number) as number },
    ]);
  });

  it("show the remaining requested lines, or the whole file if none remains", async () => {
    const { session, files } = await openTestSession({ files: { "/work/a.ts": numberedLines(9) } });
    await session.read({ path: "a.ts", offset: 5, limit: 4 });
    files.set("/work/a.ts", numberedLines(6));
    await session.recordWrite("a.ts");
    const { activeTexts: shorter } = await viewParts(session);
    files.set("/work/a.ts", "only\n");

    await session.recordWrite("a.ts");

    expect(shorter[0]).toBe("f1 a.ts v2 lines 5-6 of 6\n~~~\nline 5\nline 6\n~~~");
    expect((await viewParts(session)).activeTexts[0]).toBe("f1 a.ts v3\n~~~\nonly\n~~~");
  });

  it("are the same object when they are created again at their last path (D56)", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "one\n" } });
    const { session, store, files } = opened;
    await session.read({ path: "a.ts" });
    await session.name("f1", "plan");
    files.delete("/work/a.ts");
    await session.read({ path: "a.ts" });
    expect(await bodyOf(opened, "f1")).toMatchObject({
      content: null,
      path: null,
      presence: "missing",
      provenance: { origin: "/work/a.ts" },
    });
    files.set("/work/a.ts", "two\n");

    await session.read({ path: "a.ts" });

    expect((await session.status()).objects).toHaveLength(1);
    expect(await bodyOf(opened, "f1")).toMatchObject({ content: "two\n", nickname: "plan" });
    expect(await store.history(await idOf(session, "f1"))).toHaveLength(4);
  });

  it("keep their nickname when they are only named again after they were missing (D56)", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "one\n" } });
    const { session, files } = opened;
    await session.read({ path: "a.ts" });
    await session.name("f1", "plan");
    files.delete("/work/a.ts");
    await session.read({ path: "a.ts" });
    files.set("/work/a.ts", "two\n");

    await session.recordNamed(["a.ts"]);

    expect(await bodyOf(opened, "f1")).toMatchObject({
      presence: "unread",
      nickname: "plan",
      path: "/work/a.ts",
    });
  });
});
