import {
  type ObjectId,
  sha256,
  type StaticReference,
  staticReference,
} from "@self-context-manager/objects";
import { expect, test } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { type ScriptedHistory, scriptHistory } from "../session/script-history.ts";
import { openTestSession, type TestSession } from "../session/test-session.ts";
import { bodyOf, idOf, latest, storedSession } from "../session/view-parts.ts";

const system = { origin: "session-1", generator: "system" };

interface Opened extends TestSession {
  readonly history: ScriptedHistory;
}

async function openSession(): Promise<Opened> {
  const opened = await openTestSession({
    layout: epochLayout(),
    files: { "/work/a.md": "# A\n", "/work/logo.png": null, "/work/seen.ts": "export {};\n" },
  });
  return { ...opened, history: scriptHistory() };
}

test("a file that was read is stored with its text, its path and its state on disk", async () => {
  const opened = await openSession();

  await opened.session.read({ path: "a.md" });

  expect(await bodyOf(opened, "f1")).toEqual({
    id: "0190aaaa-0000-7000-8000-000000000003",
    type: "file",
    locked: false,
    content: "# A\n",
    path: "/work/a.md",
    file_type: "markdown",
    char_count: 4,
    presence: "present",
    disk: { size: 4, modified: 0 },
    provenance: { origin: "/work/a.md", generator: "human" },
  });
});

test("a file that was named is stored without content, with its size", async () => {
  const opened = await openSession();

  await opened.session.recordNamed(["seen.ts"]);

  expect(await bodyOf(opened, "f1")).toEqual({
    id: "0190aaaa-0000-7000-8000-000000000003",
    type: "file",
    locked: false,
    content: null,
    path: "/work/seen.ts",
    file_type: "typescript",
    presence: "unread",
    size: 11,
    disk: { size: 11, modified: 0 },
    provenance: { origin: "/work/seen.ts", generator: "human" },
  });
});

test("a file that is not text is stored as binary, without content", async () => {
  const opened = await openSession();

  await opened.session.read({ path: "logo.png" });

  expect(await bodyOf(opened, "f1")).toEqual({
    id: "0190aaaa-0000-7000-8000-000000000003",
    type: "file",
    locked: false,
    content: null,
    path: "/work/logo.png",
    file_type: "binary",
    char_count: 0,
    presence: "non_text",
    size: 7,
    disk: { size: 7, modified: 0 },
    provenance: { origin: "/work/logo.png", generator: "human" },
  });
});

test("a tool call is stored with its output, its arguments and its place in the chat", async () => {
  const opened = await openSession();
  const { session, store, history } = opened;
  history.user("List the files.");
  history.call("bash", { command: "ls" }, "seen.ts\n", { details: { took: 3 } });

  await history.ingest(session);

  const { chatId } = await session.status();
  const body = await bodyOf(opened, "t1");
  const chatReference = body["chat_ref"] as StaticReference;
  const chat = await store.get(chatId, { txId: chatReference.tx_id });
  expect(chatReference).toEqual(
    chat && staticReference(chat, { position: { turn: 0, step: 0, call: 0 } }),
  );
  expect(body).toEqual({
    id: "call_1",
    type: "toolcall",
    locked: false,
    content: "seen.ts\n",
    char_count: 8,
    tool: "bash",
    args: { command: "ls" },
    args_display: 'bash: "ls"',
    call_kind: "search",
    status: "ok",
    is_error: false,
    chat_ref: chatReference,
    details: { took: 3 },
    timestamp: 1_700_000_000_003,
    provenance: { origin: "toolcall", generator: "tool" },
  });
});

test("a tool call that failed is stored as failed, also in the text of the chat", async () => {
  const opened = await openSession();
  const { session, store, history } = opened;
  history.user("Try it.");
  history.call("bash", { command: "false" }, "", { isError: true });

  await history.ingest(session);
  history.say("It failed.");
  await history.ingest(session);

  expect(await bodyOf(opened, "t1")).toMatchObject({ status: "fail", is_error: true, content: "" });
  const { chatId } = await session.status();
  expect((await latest(store, chatId)).body.content).toMatch(/ status=fail\n/u);
});

test("a call of a context tool is stored with its report, the file that it read and its target", async () => {
  const opened = await openSession();
  const { session, store, history } = opened;
  history.user("Read the notes.");
  await history.read(session, "a.md");

  await history.ingest(session);

  const id = await idOf(session, "f1");
  const file = await store.get(id);
  const { chat_ref: _, ...body } = await bodyOf(opened, "t1");
  const report = "f1 a.md: indexed, version 1; joined the pool; active, 1 lines.";
  expect(body).toEqual({
    id: "call_1",
    type: "toolcall",
    locked: false,
    content: report,
    char_count: report.length,
    tool: "read",
    args: { path: "a.md" },
    args_display: 'read: "a.md"',
    status: "ok",
    is_error: false,
    file_refs: [file && staticReference(file)],
    context_tool: true,
    context_operation: "read",
    report,
    target_refs: [{ ref: "dynamic", id }],
    timestamp: 1_700_000_000_003,
    provenance: { origin: "toolcall", generator: "tool" },
  });
});

test("calls of activate and pin refer to what they showed, and the chat to the files that were loaded", async () => {
  const opened = await openSession();
  const { session, store, history } = opened;
  history.user("Read the notes.");
  history.call("bash", { command: "ls" }, "a.md");
  await history.read(session, "a.md");
  await history.ask("deactivate", { id: "f1" }, (callId) => session.deactivate("f1", { callId }));
  await history.ingest(session);
  await history.ask("activate", { id: "f1" }, (callId) =>
    session.activate("f1", undefined, { callId }),
  );
  await history.ask("pin", { id: "t1" }, (callId) => session.pin("t1", { callId }));
  history.user("And now?");

  await history.ingest(session);

  const file = await store.get(await idOf(session, "f1"));
  const call = await store.get(await idOf(session, "t1"));
  const reference = file && staticReference(file);
  expect(await bodyOf(opened, "t4")).toMatchObject({
    context_operation: "activate",
    file_refs: [reference],
    target_refs: [{ ref: "dynamic", id: file?.body.id }],
  });
  const pinned = await bodyOf(opened, "t5");
  expect(pinned).toMatchObject({
    context_operation: "pin",
    target_refs: [call && staticReference(call)],
  });
  expect(pinned["file_refs"]).toBeUndefined();
  const { chatId } = await session.status();
  expect((await latest(store, chatId)).body["loaded_refs"]).toEqual([reference]);
  const again = await opened.reopen();
  history.user("And then?");
  await history.ingest(again);
  expect((await latest(store, chatId)).body["loaded_refs"]).toEqual([reference]);
});

test("a system prompt is stored with its text and the generator `system`", async () => {
  const { session, store } = await openSession();

  await session.recordSystemPrompt("host", "You help.");

  const { system_prompt_refs: references } = await storedSession(store, session);
  const id = "0190aaaa-0000-7000-8000-000000000003" as ObjectId;
  expect(references).toEqual({ host: { ref: "dynamic", id } });
  expect((await latest(store, id)).body).toEqual({
    id,
    type: "system_prompt",
    locked: true,
    content: "You help.",
    char_count: 9,
    provenance: { origin: "test", generator: "system" },
  });
});

test("a chat is stored as turns of steps, as text, and with references to its tool calls", async () => {
  const { session, store, history } = await openSession();
  history.user("List the files.");
  history.call("bash", { command: "ls" }, "seen.ts\n");
  await history.ingest(session);
  history.say("There is one.");
  history.user("Thanks.");

  await history.ingest(session);

  const { chatId, sessionId } = await session.status();
  const call = await store.get("call_1" as ObjectId);
  expect((await latest(store, chatId)).body).toEqual({
    id: chatId,
    type: "chat",
    locked: true,
    content: [
      "--- user",
      "List the files.",
      '--- toolcall [ref:toolcall/call_1] tool=bash args="ls" status=ok',
      "--- assistant",
      "There is one.",
      "--- user",
      "Thanks.",
      "",
    ].join("\n"),
    turns: [
      {
        user: "List the files.",
        timestamp: 1_700_000_000_001,
        steps: [
          {
            assistant: [
              { type: "toolCall", id: "call_1", name: "bash", arguments: { command: "ls" } },
            ],
            toolcall_ids: ["call_1"],
            assistant_meta: meta(2, "toolUse"),
          },
          {
            assistant: [{ type: "text", text: "There is one." }],
            toolcall_ids: [],
            assistant_meta: meta(4, "stop"),
          },
        ],
      },
      { user: "Thanks.", timestamp: 1_700_000_000_005, steps: [] },
    ],
    session_ref: { ref: "dynamic", id: sessionId },
    turn_count: 2,
    step_count: 2,
    toolcall_refs: [call && staticReference(call)],
    provenance: system,
  });
});

test("an answer that comes before any question begins a turn without a user", async () => {
  const { session, store, history } = await openSession();
  history.say("Hello.");

  await history.ingest(session);

  const { chatId } = await session.status();
  expect((await latest(store, chatId)).body).toMatchObject({
    turns: [{ user: null, timestamp: null, steps: [{ toolcall_ids: [] }] }],
    turn_count: 0,
    step_count: 1,
  });
});

test("a session is stored with its pool, its sets and the last use of each object", async () => {
  const { session, store, history } = await openSession();
  await session.recordSystemPrompt("own", "You know your context.");
  history.user("Read the notes.");
  await history.read(session, "a.md");
  history.call("bash", { command: "ls" }, "seen.ts\n");
  await history.ingest(session);
  await session.recordNamed(["seen.ts"]);
  await session.pin("f1");

  const body = await storedSession(store, session);

  const { chatId, sessionId } = await session.status();
  const [file, prompt, named] = [3, 4, 5].map(
    (number) => `0190aaaa-0000-7000-8000-00000000000${number}`,
  );
  expect(body).toEqual({
    id: sessionId,
    type: "session",
    locked: true,
    content: null,
    harness: "test",
    session_id: "session-1",
    chat_ref: { ref: "dynamic", id: chatId },
    system_prompt_refs: { own: { ref: "dynamic", id: file } },
    active_set: [chatId, file, prompt, "call_2"],
    inactive_set: ["call_1", named],
    pinned_set: [prompt],
    pool: [
      { id: prompt, handle: "f1" },
      { id: "call_1", handle: "t1" },
      { id: "call_2", handle: "t2" },
      { id: named, handle: "f2" },
    ],
    handle_counts: { f: 2, t: 2 },
    activations: {
      [prompt as string]: { turn: 0, call: 0, version: 1, asked: true },
      call_2: { turn: 0, call: 1 },
    },
    host_shown: {
      [prompt as string]: { content_hash: sha256("# A\n") },
    },
    recent: ["f1", "t2"],
    pending_calls: [],
    calibration: { factor: 1, overhead: 0 },
    usage_points: [],
    last_tx_id: body["last_tx_id"],
    provenance: system,
  });
});

test("a session refers to its view object, which records the view of the last call", async () => {
  const { session, store, history } = await openSession();
  await session.recordSystemPrompt("host", "You help.");
  history.user("Read the notes.");
  await history.read(session, "a.md");
  await history.ingest(session);

  await session.nextView();

  const { chatId, sessionId } = await session.status();
  const { view_ref: reference } = await storedSession(store, session);
  const id = (reference as StaticReference).id;
  const prompt = await store.get("0190aaaa-0000-7000-8000-000000000003" as ObjectId);
  const { body } = await latest(store, id);
  expect(reference).toEqual({ ref: "dynamic", id });
  expect(body).toEqual({
    id,
    type: "view",
    locked: true,
    content: null,
    session_ref: { ref: "dynamic", id: sessionId },
    chat_ref: { ref: "dynamic", id: chatId },
    system_prompt_refs: { host: prompt && staticReference(prompt) },
    layout: "epoch",
    workspace: "/work",
    entries: ["u0 8", "a0.0 32", "r0.0.0 t1@1 [f1@1:whole] 13"],
    memory: {
      epoch: 1,
      calls: 1,
      left: [],
      plain_tokens: 53,
      died: [],
      marks: [2],
      first_end: 3,
      call: { hash: expect.any(String) as unknown, figures: [1, 1, 53] },
    },
    provenance: { origin: "session", generator: "system" },
  });
});

test("the answer to a call is stored with the number of the call", async () => {
  const { session, store, history } = await openSession();
  history.user("Hello?");
  await history.ingest(session);
  await session.nextView();
  history.say("Hello.");

  await history.ingest(session);

  const { chatId } = await session.status();
  const { turns } = (await latest(store, chatId)).body;
  expect(turns).toMatchObject([{ steps: [{ view: 1 }] }]);
});

test("a tool whose object has another id keeps the id that the provider gave the call", async () => {
  const opened = await openSession();
  const { session, history } = opened;
  history.user("List the files twice.");
  history.call("bash", { command: "ls" }, "seen.ts\n", { id: "same" });
  history.call("bash", { command: "ls -a" }, "a.md\nseen.ts\n", { id: "same" });

  await history.ingest(session);

  const first = await bodyOf(opened, "t1");
  const second = await bodyOf(opened, "t2");
  expect(first).toMatchObject({ id: "same", args: { command: "ls" } });
  expect(first).not.toHaveProperty("provider_id");
  expect(second).toMatchObject({ args: { command: "ls -a" }, provider_id: "same" });
});

function meta(millisecond: number, stopReason: string): object {
  return {
    api: "test",
    provider: "test",
    model: "test-1",
    stopReason,
    timestamp: 1_700_000_000_000 + millisecond,
  };
}
