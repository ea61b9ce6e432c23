import { standingInstruction, StoreError } from "@self-context-manager/core";
import { describe, expect, expectTypeOf, test } from "vitest";

import type { ExtensionFactory } from "@mariozechner/pi-coding-agent";

import { UnsupportedNodeError } from "../src/pi-notices.ts";
import { summaryMark } from "../src/own-summary.ts";
import { piExtension } from "../src/pi-extension.ts";
import { type FakePi, fakePi } from "./fake-pi.ts";
import { type FakeSession, fakeSession } from "./fake-session.ts";

const messages = [{ role: "user", content: "hello", timestamp: 1 }];

/** The extension in a session that has started. */
const started = async (
  options: { readonly off?: boolean; readonly failure?: Error } = {},
): Promise<{ readonly pi: FakePi; readonly session: FakeSession }> => {
  const pi = fakePi();
  const session = fakeSession();
  session.failure = options.failure;
  piExtension({
    openContext: session.openContext,
    ...(options.off === undefined ? {} : { off: options.off }),
  })(pi.api);
  await pi.emit("session_start", {});
  session.forget();
  return { pi, session };
};

const ownResult = (toolCallId: string) => ({
  toolName: "pin",
  toolCallId,
  input: { id: "f1" },
  content: [],
  isError: false,
});

/** Returns an entry of Pi's session: an answer with a tool call. */
function answerWith(id: string, args: object): unknown {
  const content = [
    { type: "text", text: "I write it." },
    { type: "toolCall", id, name: "write", arguments: args },
  ];
  return { type: "message", message: { role: "assistant", content } };
}

const readResult = {
  toolName: "read",
  toolCallId: "call_1",
  input: { path: "a.txt", offset: 2 },
  content: [{ type: "text", text: "hello" }],
  details: { truncation: { truncated: true } },
  isError: false,
};

/** The estimated tokens of the instruction and the declarations of the context tools. */
const ownTokens: unknown = expect.any(Number);

describe("the extension", () => {
  test("has the type of an extension for the oldest supported Pi", () => {
    expectTypeOf<ReturnType<typeof piExtension>>().toExtend<ExtensionFactory>();
  });

  test("opens a session once, however often Pi reports its start", async () => {
    const { pi, session } = await started();
    await pi.emit("session_start", {});

    expect(session.opened).toEqual(["session-1"]);
    expect([...pi.tools.keys()]).toEqual([
      "activate",
      "deactivate",
      "pin",
      "unpin",
      "find_objects",
    ]);
  });

  test("stops a tool call for the session's reason, and holds no write then", async () => {
    const { pi, session } = await started();
    const call = { toolName: "write", toolCallId: "call_1", input: { path: "a.txt" } };
    session.reason = "a reason";

    expect(await pi.emit("tool_call", call)).toEqual({ block: true, reason: "a reason" });
    expect(session.calls).toEqual([]);
    session.reason = undefined;
    expect(await pi.emit("tool_call", call)).toBeUndefined();
    expect(session.calls).toEqual([["holdWrite", "a.txt"]]);
  });

  test("lets a tool call run if its check fails or managed context is off", async () => {
    const failing = await started({ failure: new Error("the disk is full") });
    const off = await started({ off: true });
    off.session.reason = "a reason";
    const call = { toolName: "write", toolCallId: "call_1", input: { path: "a.txt" } };

    expect(await failing.pi.emit("tool_call", call)).toBeUndefined();
    expect(await off.pi.emit("tool_call", call)).toBeUndefined();
  });

  test("holds and records writes after a failure that is not the store's", async () => {
    const { pi, session } = await started();
    session.failure = new Error("the layout failed");
    await pi.emit("context", { messages });
    session.failure = undefined;
    session.forget();
    const write = {
      toolName: "write",
      toolCallId: "call_1",
      input: { path: "a.txt", content: "x" },
    };
    await pi.emit("tool_call", write);
    await pi.emit("tool_result", { ...write, content: [], isError: false, details: undefined });

    expect(session.calls.map(([name]) => name)).toEqual(
      expect.arrayContaining(["holdWrite", "recordWrite"]),
    );
  });

  test("looks at the view that a model gets which has refused thinking", async () => {
    const { pi, session } = await started();
    Object.assign(pi.context, {
      model: { provider: "anthropic", id: "m", contextWindow: 100_000 },
    });
    const refusal = {
      role: "assistant",
      provider: "anthropic",
      model: "m",
      content: [],
      stopReason: "error",
      errorMessage: "400 messages.1.content.0: Invalid `signature` in `thinking` block",
      timestamp: 2,
    };
    await pi.emit("context", { messages: [...messages, refusal] });
    session.forget();
    await pi.command("context", "");
    const looked = session.calls.filter(([name]) => name === "peekView").map((call) => call.at(-1));

    expect(looked).not.toEqual([]);
    for (const options of looked)
      expect(options).toMatchObject({ thinking: "bound", head: expect.any(String) });
  });

  test("sends a view whose figures cannot be read, and says so in the status line only", async () => {
    const { pi, session } = await started();
    session.statusFailure = new Error("the session cannot be read");
    const sent = await pi.emit("context", { messages });
    const status = pi.statuses.at(-1);
    session.statusFailure = undefined;
    await pi.command("context", "");

    expect(sent).toMatchObject({ messages: expect.any(Array) });
    expect(status).toBe("ctx on: the figures could not be read");
    expect(pi.notices.join("\n")).not.toContain("Pi's own messages are sent");
  });

  test("closes the session that another replaces, and the last one at shutdown", async () => {
    const { pi, session } = await started();
    pi.sessionId = "session-2";
    await pi.emit("session_start", {});
    const closedBefore = [...session.closed];
    await pi.emit("session_shutdown", {});

    expect(session.opened).toEqual(["session-1", "session-2"]);
    expect(closedBefore).toEqual(["session-1"]);
    expect(session.closed).toEqual(["session-1", "session-2"]);
  });

  test("answers a context with the view, within the model's context window", async () => {
    const { pi, session } = await started();

    const result = await pi.emit("context", { messages });

    expect(result).toEqual({ messages: [{ role: "user", content: "the view", timestamp: 1 }] });
    expect(session.calls).toContainEqual([
      "ingestAndView",
      1,
      { contextWindow: 100_000, ownTokens },
    ]);
    expect(pi.statuses.at(-1)).toBe("ctx 0/0 active, 6 tokens, 0 saved");
  });

  test("puts the view's breakpoints into the request that contains the view", async () => {
    const marker = { type: "ephemeral" };
    const system = [{ type: "text", text: "prompt", cache_control: marker }];
    const content = [{ type: "text", text: "the view", cache_control: marker }];
    const tools = [{ name: "read", cache_control: marker }];
    const payload = { max_tokens: 1, system, tools, messages: [{ role: "user", content }] };
    const { pi, session } = await started();
    session.boundaries = [0];

    const early = await pi.emit("before_provider_request", { payload });
    await pi.emit("context", { messages });
    const own = await pi.emit("before_provider_request", { payload });
    session.failure = new Error("the disk is full");
    await pi.emit("context", { messages });
    const hosts = await pi.emit("before_provider_request", { payload });

    expect(early).toBeUndefined();
    expect(own).toEqual({ ...payload, tools: [{ name: "read" }] });
    expect(hosts).toBeUndefined();
  });

  test("reports a request that the provider refused, once", async () => {
    const { pi, session } = await started();
    const message = { role: "assistant", stopReason: "error", errorMessage: "prompt is too long" };

    await pi.emit("message_end", { message });
    await pi.emit("message_end", { message: { role: "assistant", stopReason: "stop" } });
    await pi.emit("session_before_compact", {
      preparation: { firstKeptEntryId: "a", tokensBefore: 1 },
      branchEntries: [],
      reason: "overflow",
    });

    expect(session.calls.filter(([name]) => name === "recordRefusal")).toEqual([
      ["recordRefusal", { error: "prompt is too long" }],
    ]);
  });

  test("shows the cost of the calls after the list of objects", async () => {
    const { pi, session } = await started();
    session.objects = [
      {
        handle: "t1",
        state: "inactive",
        stored: { body: { id: "a", type: "toolcall" }, version: 1 },
      },
    ];
    await pi.emit("message_end", {
      message: { role: "assistant", usage: { input: 5, cacheRead: 7000, cacheWrite: 0 } },
    });

    await pi.command("context", "");
    await pi.command("context", "restore");

    expect(pi.notices[0]).toMatch(/^0 of 1 known objects are active\.\nt1 /u);
    expect(pi.notices[0]).toContain("In view, estimated: 6 tokens");
    expect(pi.notices[0]).toContain("7k tokens read from its cache, 0 written to it, 5 neither");
    expect(pi.notices[1]).toBe("No content left the view when the last epoch ended.");
  });

  test("offers verbs and handles in the terminal, and nothing after a failure", async () => {
    const { pi, session } = await started();
    session.objects = [
      {
        handle: "t1",
        state: "inactive",
        stored: { body: { id: "a", type: "toolcall" }, version: 1 },
      },
    ];

    expect(await pi.completions("context", "sh")).toEqual(["show ", "share "]);
    expect(await pi.completions("context", "show ")).toEqual(["show t1"]);
    expect(await pi.completions("context", "show t1")).toBeUndefined();
    session.failure = new Error("the disk is full");
    expect(await pi.completions("context", "show ")).toBeUndefined();
  });

  test("opens no session to offer handles", async () => {
    const pi = fakePi();
    const session = fakeSession();
    piExtension({ openContext: session.openContext })(pi.api);

    expect(await pi.completions("context", "show ")).toBeUndefined();
    expect(await pi.completions("context", "sh")).toEqual(["show ", "share "]);
    expect(session.opened).toEqual([]);
  });

  test("takes a name with blanks, and several objects", async () => {
    const { pi, session } = await started();
    session.answer = { ok: false, text: "No object is known.", effects: [] };

    await pi.command("context", "deactivate f1 f2");
    await pi.command("context", "activate my file.txt");

    const named = session.calls.flatMap(([name, target]) =>
      name === "deactivate" || name === "activate" ? [target] : [],
    );
    expect(named).toEqual(["f1 f2", "f1", "f2", "my file.txt", "my", "file.txt"]);
    expect(pi.notices[0]).toBe("No object is known.\nNo object is known.");
  });

  test("says before the list why Pi's own messages are sent", async () => {
    const { pi, session } = await started();
    const objects = [
      {
        handle: "t1",
        state: "inactive",
        stored: { body: { id: "a", type: "toolcall" }, version: 1 },
      },
    ] as const;
    session.objects = [...objects];
    session.failure = new Error("the disk is full");
    await pi.emit("context", { messages });
    session.failure = undefined;
    await pi.command("context", "");
    const failed = pi.statuses.at(-1);
    await pi.command("context", "off");
    await pi.command("context", "");

    expect(pi.notices[1]).toMatch(
      /^After a failure Pi's own messages are sent unchanged\.\n0 of 1 known/u,
    );
    expect(failed).toBe("ctx failed: Pi's own messages are sent unchanged");
    expect(pi.notices[3]).toMatch(
      /^Managed context is off; .*\n0 of 1 known objects are active\./u,
    );
    expect(pi.notices[3]).not.toContain("In view");
  });

  test("gives the address of the session's page, also while it is off", async () => {
    const { pi, session } = await started({ off: true });
    await pi.emit("session_shutdown", {});
    session.page = "http://127.0.0.1:1/#token=t";

    await pi.command("context", "inspect");

    expect(pi.notices.at(-1)).toContain("browser of this machine: http://127.0.0.1:1/#token=t\n");
  });

  test("names the command for a terminal if it has no page", async () => {
    const { pi } = await started();

    await pi.command("context", "inspect");

    expect(pi.notices.at(-1)).toContain("scm inspect session-1");
  });

  test("shows its status from the start, after each command, and when it is off", async () => {
    const { pi, session } = await started();
    const atStart = pi.statuses.at(-1);

    await pi.command("context", "activate f1 2 5");
    const afterCommand = pi.statuses.length;
    await pi.command("context", "off");

    expect(atStart).toBe("ctx 0/0 active, 6 tokens, 0 saved");
    expect(session.calls).toContainEqual(["activate", "f1", { from: 2, to: 5 }]);
    expect(afterCommand).toBe(2);
    expect(pi.statuses.at(-1)).toBe("ctx off");
  });

  test("passes a rewind to the session with the next context only", async () => {
    const { pi, session } = await started();
    await pi.emit("session_tree", {});
    await pi.emit("context", { messages });
    await pi.emit("context", { messages });

    const rewinds = session.calls.filter(([name]) => name === "ingestAndView");
    expect(rewinds).toEqual([
      ["ingestAndView", 1, { contextWindow: 100_000, ownTokens, rewound: true }],
      ["ingestAndView", 1, { contextWindow: 100_000, ownTokens }],
    ]);
  });

  test("passes its own summaries in Pi's record to the session", async () => {
    const { pi, session } = await started();
    const summary = "[self-context-manager] Active: f3 a.ts.";
    pi.branch = [{ type: "compaction", summary, firstKeptEntryId: "a" }];

    await pi.emit("context", { messages });

    expect(session.calls).toContainEqual([
      "ingestAndView",
      1,
      { contextWindow: 100_000, ownTokens, summaries: [{ text: summary }] },
    ]);
  });

  test("changes no message while the session fails, and notifies the user once", async () => {
    const { pi, session } = await started();
    session.failure = new Error("the disk is on fire");

    const results = [
      await pi.emit("context", { messages }),
      await pi.emit("before_agent_start", { systemPrompt: "be kind" }),
      await pi.emit("tool_result", readResult),
      await pi.emit("context", { messages }),
    ];

    const instructed = { systemPrompt: `be kind\n\n${standingInstruction}` };
    expect(results).toEqual([undefined, instructed, undefined, undefined]);
    expect(pi.notices).toHaveLength(1);
    expect(pi.notices[0]).toContain("The disk is on fire.");
  });

  test("notifies the user once for each session that another process has open", async () => {
    const { pi, session } = await started();
    await pi.emit("context", { messages });
    expect(pi.notices).toEqual([]);
    session.isShared = true;

    await pi.emit("context", { messages });
    await pi.emit("context", { messages });

    expect(pi.notices).toEqual([
      expect.stringContaining("another process has this session open too"),
    ]);
  });

  test("tries again on every call, and continues when a call succeeds", async () => {
    const { pi, session } = await started({ failure: new Error("not yet") });
    const before = await pi.emit("context", { messages });
    const toolsBefore = pi.tools.size;
    session.failure = undefined;

    const after = await pi.emit("context", { messages });

    expect([before, toolsBefore]).toEqual([undefined, 0]);
    expect(after).toBeDefined();
    expect(pi.tools.size).toBe(5);
  });

  test.each([["the option", { off: true }]])(
    "does nothing when it is off by %s",
    async (_n, how) => {
      const { pi, session } = await started(how);

      expect(await pi.emit("context", { messages })).toBeUndefined();
      expect(await pi.emit("before_agent_start", { systemPrompt: "be kind" })).toBeUndefined();
      expect([session.opened, pi.tools.size]).toEqual([[], 0]);
    },
  );

  test("appends the standing instruction and records both prompts", async () => {
    const { pi, session } = await started();

    const result = await pi.emit("before_agent_start", { systemPrompt: "be kind" });

    expect(result).toEqual({ systemPrompt: `be kind\n\n${standingInstruction}` });
    expect(session.calls).toEqual([
      ["recordSystemPrompt", "host", "be kind"],
      ["recordSystemPrompt", "own", standingInstruction],
    ]);
  });

  test("only records if the user has switched activate off", async () => {
    const { pi, session } = await started();
    pi.active = ["read"];

    expect(await pi.emit("context", { messages })).toBeUndefined();
    expect(await pi.emit("before_agent_start", { systemPrompt: "be kind" })).toBeUndefined();
    expect(session.calls.map(([name]) => name)).toEqual(["ingest"]);
  });

  test("looks at the file of a read and does not change the result", async () => {
    const { pi, session } = await started();

    const result = await pi.emit("tool_result", readResult);

    expect(session.calls).toEqual([["recordRead", "a.txt", { callId: "call_1" }]]);
    expect(result).toBeUndefined();
  });

  test("records written files, but not those of a failed write", async () => {
    const { pi, session } = await started();
    const args = { path: "n.md", content: "x" };
    pi.branch = [answerWith("call_1", args)];
    const written = { ...readResult, toolName: "write", input: args };
    await pi.emit("tool_result", written);
    await pi.emit("tool_result", { ...written, toolName: "edit", isError: true });

    expect(session.calls).toEqual([["recordWrite", "n.md", { callId: "call_1", args }]]);
  });

  test("records a write with the model's arguments, not with those that an extension changed", async () => {
    const { pi, session } = await started();
    const args = { path: "n.md", content: "SECRET=<<S1>>" };
    pi.branch = [
      answerWith("call_1", { path: "n.md", content: "earlier" }),
      answerWith("call_1", args),
    ];
    const input = { path: "n.md", content: "SECRET=abc123" };
    await pi.emit("tool_result", { ...readResult, toolName: "write", input });

    expect(session.calls).toEqual([["recordWrite", "n.md", { callId: "call_1", args }]]);
  });

  test("records a write with the tool's arguments if the host does not show its session", async () => {
    const { pi, session } = await started();
    Object.assign(pi.context.sessionManager, { getBranch: undefined });
    const input = { path: "n.md", content: "x" };
    await pi.emit("tool_result", { ...readResult, toolName: "write", input });

    expect(session.calls).toEqual([["recordWrite", "n.md", { callId: "call_1", args: input }]]);
  });

  test("records a write that another tool made without the model's arguments", async () => {
    const { pi, session } = await started();
    pi.branch = [answerWith("call_1", { script: "write it" })];
    const input = { path: "n.md", content: "x" };
    const nested = { ...readResult, toolCallId: "call_1/1", toolName: "write", input };
    await pi.emit("tool_result", nested);

    expect(session.calls).toEqual([["recordWrite", "n.md", { callId: "call_1/1", args: {} }]]);
  });

  test("renames its tools when another extension's tool takes one of the names later", async () => {
    const { pi } = await started();
    const foreign = { name: "activate", description: "activates a virtual environment" };
    pi.replace(foreign);

    await pi.emit("before_agent_start", { systemPrompt: "be kind" });

    const own = [
      "context_activate",
      "context_deactivate",
      "context_pin",
      "context_unpin",
      "context_find_objects",
    ];
    expect(pi.active).toEqual(["read", "bash", "activate", ...own]);
  });

  test("marks the result of a refused context tool as failed, once", async () => {
    const { pi, session } = await started();
    session.answer = { ok: false, text: "No object is known.", effects: [] };

    const result = await pi.tools
      .get("pin")
      ?.execute("call_9", { id: "f1" }, undefined, undefined, pi.context);
    const marked = await pi.emit("tool_result", ownResult("call_9"));

    expect(result?.content).toEqual([{ type: "text", text: "No object is known." }]);
    expect(marked).toEqual({ isError: true });
    expect(await pi.emit("tool_result", ownResult("call_9"))).toBeUndefined();
  });
});

describe("a compaction by the user", () => {
  const compacted = { compactionEntry: { type: "compaction", summary: "A summary." } };

  test("is announced until the next call, because the figures do not have it", async () => {
    const { pi } = await started();
    await pi.emit("context", { messages });
    await pi.emit("session_compact", compacted);
    const announced = pi.statuses.at(-1);
    await pi.command("context", "restore");
    const afterCommand = pi.statuses.at(-1);
    await pi.emit("context", { messages });
    await pi.command("context", "restore");

    expect(announced).toBe("ctx compacted: new figures with the next call");
    expect(afterCommand).toBe(announced);
    expect(pi.statuses.at(-1)).toBe("ctx 0/0 active, 6 tokens, 0 saved");
    expect(pi.notices).toEqual([
      "The chat was compacted after the last call. Contents leave the view with the next call. Run /context restore after it.",
      "No content left the view when the last epoch ended.",
    ]);
  });

  test("is not announced if the adapter wrote the summary, or is off", async () => {
    const own = { compactionEntry: { type: "compaction", summary: `${summaryMark} An index.` } };
    const { pi } = await started();
    await pi.emit("session_compact", own);
    const off = await started({ off: true });
    await off.pi.emit("session_compact", compacted);

    expect(pi.statuses.at(-1)).toBe("ctx 0/0 active, 6 tokens, 0 saved");
    expect(off.pi.statuses.at(-1)).toBe("ctx off");
  });
});

describe("the notice of a failure", () => {
  const noticeOf = async (error: Error): Promise<string> => {
    const { pi } = await started({ failure: error });
    return pi.notices.join();
  };

  test("names Pi, the reason as a sentence, and what happens next", async () => {
    expect(await noticeOf(new StoreError("STORE_BUSY", "the store x is locked"))).toBe(
      "self-context-manager: Pi's own messages are sent to the model. The store x is locked. The next call tries again; SCM_OFF=1 switches managed context off.",
    );
  });

  test("says once that the next call tries again", async () => {
    expect(await noticeOf(new Error("no answer. The next call tries again"))).toMatch(
      /to the model\. No answer\. The next call tries again\. SCM_OFF=1 switches managed context off\.$/u,
    );
  });

  test.each([
    [
      "a wrong setting",
      Object.assign(new Error('SCM_LAYOUT is "x"; it must be epoch'), { name: "ConfigError" }),
    ],
    ["a Node without node:sqlite", new UnsupportedNodeError("This is Node v20; start a newer one")],
  ])("promises no other try for %s", async (_name, error) => {
    expect(await noticeOf(error)).toBe(
      `self-context-manager: Pi's own messages are sent to the model. ${error.message}. SCM_OFF=1 switches managed context off.`,
    );
  });

  test("is in the status line when the user switches managed context on and it fails", async () => {
    const { pi, session } = await started();
    await pi.command("context", "off");
    await pi.emit("session_shutdown", {});
    session.failure = new Error("the disk is on fire");

    await pi.command("context", "on");

    expect(pi.statuses.at(-1)).toBe("ctx failed: Pi's own messages are sent unchanged");
    expect(pi.active).toContain("activate");
  });
});

describe("a store in trouble", () => {
  const busy = new StoreError("STORE_BUSY", "the store is locked");

  /** An extension whose session is open, and whose store then fails as the test wants. */
  const withStore = async (check: () => Promise<void>) => {
    const pi = fakePi();
    const session = fakeSession();
    session.check = check;
    piExtension({ openContext: session.openContext })(pi.api);
    await pi.emit("session_start", {});
    session.forget();
    return { pi, session };
  };

  test("is asked before each request, and nothing else is done until it works", async () => {
    let questions = 0;
    let isLocked = true;
    const { pi, session } = await withStore(async () => {
      questions += 1;
      if (isLocked) throw busy;
      await Promise.resolve();
    });
    session.failure = busy;
    await pi.emit("context", { messages });
    session.failure = undefined;

    const during = await pi.emit("context", { messages });
    const asked = questions;
    await pi.emit("tool_result", readResult);
    const callsDuring = [...session.calls];
    const prompted = await pi.emit("before_agent_start", { systemPrompt: "be kind" });
    isLocked = false;
    const after = await pi.emit("context", { messages });

    expect([during, callsDuring, asked]).toEqual([undefined, [], 1]);
    expect(prompted).toEqual({ systemPrompt: `be kind\n\n${standingInstruction}` });
    expect(after).toMatchObject({ messages: [{ content: "the view" }] });
    expect(pi.notices).toHaveLength(1);
  });

  test("gets what was read, written and named in the meantime before the next messages", async () => {
    let isLocked = true;
    const { pi, session } = await withStore(async () => {
      if (isLocked) throw busy;
      await Promise.resolve();
    });
    const written = { ...readResult, toolName: "write", input: { path: "n.md", content: "x" } };
    session.failure = busy;
    await pi.emit("tool_result", written);
    session.failure = undefined;
    await pi.emit("tool_result", readResult);
    await pi.emit("context", { messages });
    isLocked = false;

    await pi.emit("context", { messages });
    await pi.emit("context", { messages });

    expect(session.calls.map(([name, path]) => [name, path])).toEqual([
      ["recordWrite", "n.md"],
      ["recordRead", "a.txt"],
      ["ingestAndView", 1],
      ["status", undefined],
      ["ingestAndView", 1],
      ["status", undefined],
    ]);
  });

  test("does not delay a request when it hangs, and is used when its answer has come", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { pi, session } = await withStore(async () => await promise);
    session.failure = busy;
    await pi.emit("context", { messages });
    session.failure = undefined;

    const during = await pi.emit("context", { messages });
    resolve();
    await promise;
    const after = await pi.emit("context", { messages });

    expect(during).toBeUndefined();
    expect(after).toMatchObject({ messages: [{ content: "the view" }] });
  });

  test("is no reason to run a call that would write a stand-in", async () => {
    const { pi, session } = await withStore(async () => await Promise.reject(busy));
    session.failure = busy;
    await pi.emit("context", { messages });
    session.failure = undefined;
    session.reason = "a reason";

    const answer = await pi.emit("tool_call", {
      toolName: "write",
      toolCallId: "call_w",
      input: { path: "a.txt", content: "[4000 characters, now in f1 v1]" },
    });

    expect(answer).toEqual({ block: true, reason: "a reason" });
    expect(session.calls).toEqual([]);
  });

  test("stops no call when it cannot say whether the call would write a stand-in", async () => {
    const { pi, session } = await withStore(async () => await Promise.reject(busy));
    session.failure = busy;
    await pi.emit("context", { messages });

    const answer = await pi.emit("tool_call", {
      toolName: "write",
      toolCallId: "call_w",
      input: { path: "a.txt", content: "text" },
    });

    expect(answer).toBeUndefined();
    expect(pi.notices).toHaveLength(1);
  });

  test("is reported again when it was over in between", async () => {
    const { pi, session } = await withStore(async () => await Promise.resolve());
    for (const failure of [busy, undefined, busy, busy]) {
      session.failure = failure;
      await pi.emit("context", { messages });
    }

    expect(pi.notices).toHaveLength(2);
  });

  test("that was lost is opened again in the same request, and the user is notified once", async () => {
    const pi = fakePi();
    const sessions = [fakeSession(), fakeSession()];
    let opened = 0;
    piExtension({
      openContext: async (where) => {
        const session = sessions[opened];
        opened += 1;
        if (session === undefined) throw new Error("opened too often");
        return await session.openContext(where);
      },
    })(pi.api);
    await pi.emit("session_start", {});
    const summary = `${summaryMark} Active: f3 a.ts.`;
    pi.branch = [{ type: "compaction", summary, firstKeptEntryId: "a" }];
    const [first, second] = sessions;
    if (first !== undefined)
      first.failure = new StoreError("STORE_LOST", "the store is gone; open it again");

    const results = await Promise.all([
      pi.emit("tool_result", readResult),
      pi.emit("tool_result", readResult),
      pi.emit("context", { messages }),
    ]);

    expect(results[2]).toMatchObject({ messages: [{ content: "the view" }] });
    expect([opened, first?.closed]).toEqual([2, ["session-1"]]);
    expect(second?.calls).toContainEqual(["ingest", 1, { summaries: [{ text: summary }] }]);
    expect(pi.notices).toEqual([
      expect.stringMatching(/^self-context-manager: The store is gone\. A new store was begun/u),
    ]);
  });
});

test.each([
  ["a file", () => "/sessions/1.jsonl", false],
  ["no file", () => undefined, true],
])("a session with %s is opened as such", async (_name, getSessionFile, isEphemeral) => {
  const pi = fakePi();
  Object.assign(pi.context.sessionManager, { getSessionFile });
  const session = fakeSession();
  const asked: unknown[] = [];
  piExtension({
    openContext: async (where) => {
      asked.push(where.isEphemeral);
      return await session.openContext(where);
    },
  })(pi.api);

  await pi.emit("session_start", {});

  expect(asked).toEqual([isEphemeral]);
});

test("a text about the store is shown to the user", async () => {
  const pi = fakePi();
  const session = fakeSession();
  piExtension({
    openContext: async (where) => {
      where.notify("Other users can read the store.");
      return await session.openContext(where);
    },
  })(pi.api);

  await pi.emit("session_start", {});

  expect(pi.notices).toEqual(["self-context-manager: Other users can read the store."]);
});
