import {
  contextTools,
  executionField,
  type JsonObject,
  type StaticReference,
  windowPolicy,
} from "@self-context-manager/core";
import { describe, expect, it } from "vitest";

import { scriptHistory } from "../src/session/script-history.ts";
import { openTestSession } from "../src/session/test-session.ts";
import {
  handlesIn,
  latest,
  storedSession,
  textOfMessage,
  versionCount,
  viewParts,
} from "../src/session/view-parts.ts";

const files = { "/work/a.ts": "let a = 1;\n", "/work/b.md": "# b\n", "/work/logo.png": null };

describe("the three pools", () => {
  it("stand in the specification's order: metadata, chat, active content", async () => {
    const { session } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "ls" }, "a.ts\nb.md");
    await history.ingest(session);
    await session.read({ path: "a.ts" });

    const { messages } = await session.view();

    expect(messages.map(textOfMessage)).toEqual([
      "Known objects: handle, name, size in characters (activate HANDLE shows one's content).\n" +
        't1 bash "ls" 9\nf1 a.ts 11',
      "go",
      "",
      "[t1 ok, 9 chars]",
      't1 bash "ls"\n~~~\na.ts\nb.md\n~~~\n\nf1 a.ts v1\n~~~\nlet a = 1;\n~~~\n\nActive: t1 f1.'.replaceAll(
        "\n\n",
        "\n",
      ),
    ]);
  });

  it("list every known object once in the metadata pool, in order of joining", async () => {
    const { session } = await openTestSession({ files });
    await session.recordNamed(["a.ts", "b.md", "logo.png"]);
    await session.read({ path: "b.md" });
    await session.read({ path: "logo.png" });

    const { pool } = await viewParts(session);

    expect(pool).toEqual(
      ["f1 a.ts unread 11B", "f2 b.md 4 v2", "f3 logo.png not text 7B v2"].map((line) =>
        line.replace("7B v2", "7B"),
      ),
    );
  });

  it("show in the chat a reference in the place of each output, never the output", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "cat x" }, "SECRET OUTPUT");
    history.call("bash", { command: "false" }, "FAILED OUTPUT", { isError: true });
    await history.ingest(session);

    const { chat, activeTexts } = await viewParts(session);

    expect(chat.filter(({ role }) => role === "toolResult").map(textOfMessage)).toEqual([
      "[t1 ok, 13 chars]",
      "[t2 failed, 13 chars]",
    ]);
    expect(JSON.stringify(chat)).not.toContain("OUTPUT");
    expect(activeTexts.join()).toContain("SECRET OUTPUT");
  });

  it("tell the model at their end what is active and what is pinned (D44)", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    await session.pin("b.md");
    await session.recordNamed(["b.md"]);
    await session.read({ path: "b.md" });
    await session.pin("f2");

    const { activeTexts } = await viewParts(session);

    expect(activeTexts.at(-1)).toBe("Active: f1 f2. Pinned: f2.");
  });
});

describe("recent tool calls", () => {
  it("are active by themselves, the last 5 of the turn", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("go");
    for (let call = 1; call <= 7; call += 1) history.call("bash", { call }, `output ${call}`);
    await history.ingest(session);

    expect(await handlesIn(session, "active")).toEqual(["t3", "t4", "t5", "t6", "t7"]);
    expect((await viewParts(session)).pool).toHaveLength(7);
  });

  it("of earlier turns leave after the last 3 turns, and their lines stay", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    for (let turn = 1; turn <= 4; turn += 1) {
      history.user(`turn ${turn}`);
      history.call("bash", { turn }, `output ${turn}`);
    }
    await history.ingest(session);

    expect(await handlesIn(session, "active")).toEqual(["t2", "t3", "t4"]);
    expect((await viewParts(session)).activeTexts.join()).not.toContain("output 1");
  });

  it("are counted without the context tools' own (D37)", async () => {
    const { session } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(session);
    for (let time = 0; time < 8; time += 1) {
      await history.ask(
        "read",
        { path: "a.ts" },
        async (callId) => await session.read({ path: "a.ts" }, { callId }),
      );
      await history.ingest(session);
    }

    expect(await handlesIn(session, "active")).toEqual(["t1", "f1"]);
  });

  it("stay while they are pinned, and go by the policy again after unpin", async () => {
    const { session } = await openTestSession({ policy: windowPolicy({ calls: 1, turns: 1 }) });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(session);
    await session.pin("t1");
    history.call("bash", { command: "b" }, "B");
    await history.ingest(session);
    expect(await handlesIn(session, "pinned")).toEqual(["t1"]);

    await session.unpin("t1");
    history.call("bash", { command: "c" }, "C");
    await history.ingest(session);

    expect(await handlesIn(session, "pinned", "active")).toEqual(["t3"]);
  });

  it("never come back by the policy once they were deactivated", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(session);
    await session.deactivate("t1");
    history.say("ok");
    history.user("more");
    await history.ingest(session);

    expect(await handlesIn(session, "active")).toEqual([]);
  });
});

describe("activate and deactivate", () => {
  it("show an old tool call's output again, and take it out again", async () => {
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
    expect(gone.text).toBe('t1 bash "a" is inactive; activate t1 brings it back.');
    const { activeTexts, pool } = await viewParts(session);
    expect(activeTexts.join()).not.toContain("OLD");
    expect(pool.join()).toContain("t1");
  });

  it("take lines, and widen to cover what is shown already (D41)", async () => {
    const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join("");
    const { session } = await openTestSession({ files: { "/work/long.txt": text } });
    await session.recordNamed(["long.txt"]);

    await session.activate("f1", { from: 3, to: 4 });
    const wider = await session.activate("f1", { from: 7, to: 8 });

    expect(wider.text).toBe("f1 long.txt is already active, lines 3-8 of 20.");
    expect((await viewParts(session)).activeTexts[0]).toBe(
      "f1 long.txt v2 lines 3-8 of 20\n~~~\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\n~~~",
    );
    expect(await session.activate("f1", { from: 40 })).toMatchObject({
      ok: false,
      text: "f1 long.txt: line 40 is outside the text, which has 20 lines.",
    });
  });

  it("answer repeats without a new version (D42)", async () => {
    const { session, store } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    await session.pin("f1");
    const before = await versionCount(store);

    expect((await session.activate("f1")).text).toBe("f1 a.ts is already active.");
    expect((await session.pin("f1")).text).toBe("f1 a.ts is pinned already.");
    expect(await versionCount(store)).toBe(before);

    await session.deactivate("f1");
    const after = await versionCount(store);
    expect((await session.deactivate("f1")).text).toBe("f1 a.ts is inactive already.");
    expect((await session.unpin("f1")).text).toBe("f1 a.ts is not pinned.");
    expect(await versionCount(store)).toBe(after);
  });

  it("go with pins: pin activates, deactivate unpins (D42)", async () => {
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
    const prompts = (await storedSession(store, session))["system_prompt_refs"] as {
      readonly host: { readonly id: string };
    };

    for (const target of [chatId, "chat", sessionId, prompts.host.id]) {
      expect(await session.deactivate(target)).toMatchObject({ ok: false, effects: [] });
      expect((await session.deactivate(target)).text).toMatch(
        /is locked and cannot be deactivated/u,
      );
      expect((await session.activate(target)).text).toMatch(
        /is locked; it is always in the context/u,
      );
    }
    expect((await storedSession(store, session))["active_set"]).toEqual([chatId, prompts.host.id]);
  });

  it("say why there is nothing to show: not text, gone, or a directory by now", async () => {
    const opened = await openTestSession({ files: { ...files, "/work/gone.ts": "x" } });
    const { session } = opened;
    await session.read({ path: "logo.png" });
    await session.read({ path: "gone.ts" });
    opened.files.delete("/work/gone.ts");
    await session.read({ path: "gone.ts" });

    expect((await session.activate("f1")).text).toBe(
      "f1: content unavailable (non-text file, 7 bytes).",
    );
    expect((await session.activate("f2")).text).toBe(
      "f2: the file is gone; it was last at /work/gone.ts, and known to be gone since 2023-11-14T22:13:20.000Z. Its earlier versions are kept.",
    );
    expect(await handlesIn(session, "pinned")).toEqual([]);
  });
});

describe("a target", () => {
  it("may be a handle, an id, the beginning of one, a nickname or a path (D45)", async () => {
    const { session, store } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "A", { id: "toolu_01ABCDEF" });
    await history.ingest(session);
    await session.read({ path: "a.ts" });
    const { objects } = await session.status();
    const file = objects.find(({ handle }) => handle === "f1")?.stored.body.id ?? "";
    await session.name("f1", "the plan");

    for (const target of ["f1", "@f1", file, "the plan", "a.ts", "./a.ts", "/work/a.ts", " f1 "]) {
      expect([target, (await session.activate(target)).ok]).toEqual([target, true]);
    }
    for (const target of ["t1", "toolu_01ABCDEF", "toolu_01"]) {
      expect([target, (await session.activate(target)).ok]).toEqual([target, true]);
    }
    expect((await latest(store, file)).body.nickname).toBe("the plan");
  });

  it("that is unknown or ambiguous is answered with candidates (D45)", async () => {
    const { session } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "A", { id: "toolu_01AA" });
    history.call("bash", { command: "b" }, "B", { id: "toolu_01BB" });
    await history.ingest(session);
    await session.recordNamed(["a.ts", "b.md"]);

    const ambiguous = await session.activate("toolu_01");
    const misplaced = await session.activate("src/a.ts");
    const unknown = await session.deactivate("f99");

    expect(ambiguous.text).toBe(
      '"toolu_01" is the beginning of several ids: t1, t2. Give one of these handles.',
    );
    expect(misplaced.text).toMatch(/No object is known as "src\/a.ts". Did you mean f1\?/u);
    expect(unknown.text).toMatch(/No object is known as "f99"/u);
    expect([ambiguous.ok, misplaced.ok, unknown.ok]).toEqual([false, false, false]);
  });

  it("that the store knows and the session does not is loaded, then activated (D41)", async () => {
    const opened = await openTestSession({ files });
    await opened.session.read({ path: "a.ts" });
    const session = await opened.reopen({ harness: "test", sessionId: "session-2" });

    const answer = await session.activate("a.ts");

    expect(answer.text).toBe("f1 a.ts is now active.");
    expect(await handlesIn(session, "active")).toEqual(["f1"]);
  });

  it("that is locked in another session is refused and does not join the pool", async () => {
    const opened = await openTestSession();
    const { chatId } = await opened.session.status();
    const session = await opened.reopen({ harness: "test", sessionId: "session-2" });

    const activated = await session.activate(chatId);
    const loaded = await session.load(chatId);

    expect([activated.ok, loaded.ok]).toEqual([false, false]);
    expect(activated.text).not.toContain("always in the context");
    expect((await session.status()).objects).toEqual([]);
  });

  it("is loaded as inactive for programs only (D41)", async () => {
    const opened = await openTestSession({ files });
    await opened.session.read({ path: "a.ts" });
    const session = await opened.reopen({ harness: "test", sessionId: "session-2" });

    await session.load("a.ts");

    expect(await handlesIn(session, "inactive")).toEqual(["f1"]);
    expect(contextTools.map(({ name }) => name)).toEqual([
      "read",
      "activate",
      "deactivate",
      "pin",
      "unpin",
    ]);
  });

  it("never means another object later: handles are not used again", async () => {
    const opened = await openTestSession();
    const { session } = opened;
    const history = scriptHistory();
    history.user("one");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(session);
    history.user("two");
    history.call("bash", { command: "b" }, "B");
    await history.ingest(session);
    const branch = scriptHistory(1_800_000_000_000);
    branch.messages.push(...history.messages.slice(0, 3));
    branch.user("other");
    branch.call("bash", { command: "c" }, "C", { id: "call_c" });

    await branch.ingest(session);
    const again = await opened.reopen();
    branch.call("bash", { command: "d" }, "D", { id: "call_d" });
    await branch.ingest(again);

    expect((await again.status()).objects.map(({ handle }) => handle)).toEqual(["t1", "t3", "t4"]);
    expect((await again.activate("t2")).ok).toBe(false);
  });
});

describe("a context tool's call", () => {
  it("is stored with the report of its steps and what it read, never with the text (D34)", async () => {
    const { session, store } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("go");
    const answer = await history.ask(
      "read",
      { path: "a.ts" },
      async (callId) => await session.read({ path: "a.ts" }, { callId }),
    );
    await history.ingest(session);

    const { body } = await latest(store, "call_1");
    const [reference] = body["file_refs"] as readonly StaticReference[];
    const file = await latest(store, reference?.id ?? "");

    expect(body.content).toBe(answer.text);
    expect(JSON.stringify(body)).not.toContain("let a");
    expect(reference).toMatchObject({ tx_id: file.at.tx_id, ...file.hashes });
    expect((await viewParts(session)).chat.at(-1)).toMatchObject({
      content: [{ type: "text", text: `[t1 ok] ${answer.text}` }],
    });
  });

  it("is told by the details of our tools' results only, and by none that are out of shape", async () => {
    const { session, store } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    await session.pin("f1");
    const [object] = (await session.status()).objects;
    const id = object?.stored.body.id ?? "";
    const told = (effects: readonly JsonObject[]): JsonObject => ({
      [executionField]: { report: "done", effects },
    });
    const history = scriptHistory();
    history.user("go");
    history.call("search", {}, "OUT", { details: told([{ op: "deactivate", id }]) });
    const strange = { op: "activate", id, range: { from: 0, to: "x", turn: 9 }, file: { id } };
    history.call("activate", {}, "done", { details: told([strange, { op: "remove", id }]) });

    await history.ingest(session);

    expect(await handlesIn(session, "pinned")).toEqual(["f1"]);
    expect((await viewParts(session)).activeTexts.join()).toContain("OUT");
    const { activations } = await storedSession(store, session);
    expect(activations).toMatchObject({ [id]: { turn: 0, call: 1 } });
    expect((await latest(store, "call_2")).body["file_refs"]).toBeUndefined();
  });

  it("is run from loose arguments, and answers bad ones", async () => {
    const { session } = await openTestSession({ files });
    const tool = (name: string) => {
      const found = contextTools.find((one) => one.name === name);
      if (found === undefined) throw new Error(`no tool ${name}`);
      return found;
    };

    const read = await tool("read").run(session, { path: "a.ts", offset: "1", limit: 1.7 }, "c1");
    const nothing = await tool("activate").run(session, { id: 7 }, "c2");
    const pinned = await tool("pin").run(session, { id: "f1" }, "c3");

    expect(read.text).toBe("f1 a.ts: indexed, version 1; joined the pool; active, 1 lines.");
    expect(nothing.ok).toBe(false);
    expect(pinned.ok).toBe(true);
  });
});
