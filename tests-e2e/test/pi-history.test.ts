import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import {
  type LoopbackModel,
  openLoopbackModel,
  type Responder,
  toolCalls,
  type WireRequest,
} from "@self-context-manager/evaluate/loopback";
import { describe, expect, test } from "vitest";

import { openManagedRpc } from "../src/managed-rpc.ts";
import { adapterFolder, pooled } from "../src/managed-run.ts";
import { managedFiles, secretOf } from "../src/managed-script.ts";
import { openPiRpc, type PiRpc } from "../src/pi-rpc.ts";
import { piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";
import { illegalities, saidTo, shownHandles } from "../src/wire-rules.ts";

/** Settings with which Pi compacts as early as it can and keeps as little as it can. */
const eager = { compaction: { enabled: true, reserveTokens: 19_000, keepRecentTokens: 1 } };
const patient = { compaction: { enabled: false, reserveTokens: 19_000, keepRecentTokens: 1 } };

const isSummary = ({ tools }: WireRequest): boolean => tools.length === 0;

const lookCall = ["call_a", "bash", { command: "cat a.txt" }] as const;
const firstCall = toolCalls(lookCall);

/** Answers with a tool call first, and then with texts. */
const callAndAnswer: Responder = (_request, index) =>
  index === 0 ? firstCall : { type: "text", text: `answer ${index}` };

/** Answers a request for a summary with a summary, and the others like `callAndAnswer`. */
const summaryOrAnswer: Responder = (request, index) =>
  isSummary(request)
    ? { type: "text", text: "the user's own summary" }
    : callAndAnswer(request, index);

const lastRequest = ({ requests }: LoopbackModel): WireRequest => {
  const last = requests.at(-1);
  if (last === undefined) throw new Error("there is no request");
  return last;
};

const textsOf = ({ messages }: WireRequest): readonly string[] => messages.map(({ text }) => text);

/** The short prompts of the user in a request. */
const promptsIn = ({ messages }: WireRequest): readonly string[] =>
  messages
    .filter(
      ({ role, text }) => role === "user" && /^(?:\w+ )+(?:question|turn|resume|loss)$/u.test(text),
    )
    .map(({ text }) => text);

describe.each(piVersions)("Pi $version", (pi) => {
  test("shortens the list after an overflow without a model, and continues the turn", async () => {
    await using model = await openLoopbackModel({
      script: (_request, index) => {
        if (index === 0) return firstCall;
        if (index === 2)
          return { type: "error", status: 400, message: "maximum context length is 2000 tokens" };
        return { type: "text", text: `answer ${index}` };
      },
    });
    await using rpc = await openManagedRpc({ pi, model, settings: eager });

    await rpc.prompt("first question");
    await rpc.prompt("second question");
    const answer = await rpc.send({ type: "get_last_assistant_text" });

    expect(model.failures).toEqual([]);
    expect(model.requests.filter(isSummary)).toEqual([]);
    expect(answer["data"]).toEqual({ text: "answer 3" });
    expect(model.requests).toHaveLength(4);
    const last = lastRequest(model);
    expect(illegalities(last)).toEqual([]);
    expect(textsOf(last).filter((text) => text === "second question")).toHaveLength(1);
  });

  test("follows a compaction that the user requests", async () => {
    await using model = await openLoopbackModel({ script: summaryOrAnswer });
    await using rpc = await openManagedRpc({ pi, model, settings: patient });

    await rpc.prompt("first question");
    await rpc.prompt(`second question ${"and so on ".repeat(400)}`);
    await rpc.send({ type: "compact" });
    await rpc.prompt("third question");
    const exit = await rpc.close();

    const record = await readFile(exit.sessionFile ?? "", "utf8");
    expect(record.split('"type":"compaction"')).toHaveLength(2);
    const last = lastRequest(model);
    expect(illegalities(last)).toEqual([]);
    // Pi requests one summary of whole turns and one of a turn that it cuts, and joins them.
    expect(textsOf(last).filter((text) => text.includes("the user's own summary"))).toHaveLength(1);
    expect(textsOf(last)).not.toContain("first question");
    expect(last.messages.at(-1)?.text).toBe("third question");
    // The contents that only the replaced messages held are inactive.
    expect(saidTo(last)).not.toContain(secretOf("a.txt"));
  });

  test("bases a compaction that the user requests on the messages, not on the extension's earlier summary", async () => {
    await using model = await openLoopbackModel({ script: summaryOrAnswer });
    await using rpc = await openManagedRpc({
      pi,
      model,
      settings: eager,
      contextWindow: 20_000,
    });

    for (const prompt of ["first question", "second question", "third question"])
      await rpc.prompt(prompt);
    await rpc.send({ type: "set_auto_compaction", enabled: false });
    await rpc.prompt(`fourth question ${"and so on ".repeat(400)}`);
    await rpc.send({ type: "compact" });
    await rpc.prompt("fifth question");

    const asked = model.requests.filter(isSummary).map(saidTo).join("\n");
    expect(model.failures).toEqual([]);
    expect(asked).toContain("first question");
    expect(asked).toContain("second question");
    expect(asked).not.toContain("[self-context-manager]");
    const last = lastRequest(model);
    expect(illegalities(last)).toEqual([]);
    expect(saidTo(last)).toContain("the user's own summary");
    expect(textsOf(last)).not.toContain("first question");
  });

  test("takes what its own summaries replaced from Pi's record, if the store is another one", async () => {
    await using model = await openLoopbackModel({ script: summaryOrAnswer });
    await using workspace = await openPiWorkspace({
      model,
      files: managedFiles,
      settings: eager,
      contextWindow: 20_000,
    });
    const start = async (...more: readonly string[]): Promise<PiRpc> =>
      await openPiRpc({
        pi,
        workspace,
        extensions: [adapterFolder],
        arguments: more,
        environment: { ...pooled, SCM_STORE: join(workspace.agentFolder, "stores", "s.sqlite") },
      });
    const loseStore = async (): Promise<void> =>
      await rm(join(workspace.agentFolder, "stores"), { recursive: true });
    const prompts = ["first question", "second question", "third question"];
    {
      await using rpc = await start();
      for (const prompt of prompts) await rpc.prompt(prompt);
      await rpc.close();
    }
    await loseStore();
    {
      await using rpc = await start("-c");
      await rpc.prompt("after the resume");
      const resumed = lastRequest(model);
      await loseStore();
      await rpc.prompt("after the loss");
      const lost = lastRequest(model);
      await rpc.send({ type: "set_auto_compaction", enabled: false });
      await rpc.prompt(`a long question ${"and so on ".repeat(400)}`);
      await rpc.send({ type: "compact" });
      await rpc.close();

      expect(promptsIn(resumed)).toEqual([...prompts, "after the resume"]);
      // The summaries name the handle t1 of the first store, which no object gets again.
      expect(saidTo(resumed)).toContain("[t2 ok, 41 chars]");
      expect(promptsIn(lost)).toEqual([...prompts, "after the resume", "after the loss"]);
      expect(saidTo(lost)).toContain("[t2 ok, 41 chars]");
      expect(saidTo(lost)).not.toContain("[self-context-manager]");
    }
    await loseStore();
    await using rpc = await start("-c");
    await rpc.prompt("after the compaction");

    const last = lastRequest(model);
    expect(model.failures).toEqual([]);
    expect(illegalities(last)).toEqual([]);
    expect(saidTo(last)).toContain("the user's own summary");
    expect(saidTo(last)).not.toContain("first question");
  });

  test("says in its own summaries what was said, for requests without the extension", async () => {
    await using model = await openLoopbackModel({ script: summaryOrAnswer });
    await using rpc = await openManagedRpc({ pi, model, settings: eager, contextWindow: 20_000 });

    for (const prompt of ["first question", "second question", "third question"])
      await rpc.prompt(prompt);
    const managed = lastRequest(model);
    await rpc.send({ type: "set_auto_compaction", enabled: false });
    await rpc.prompt("/context off");
    await rpc.prompt("without it");

    const own = lastRequest(model);
    expect(model.failures).toEqual([]);
    expect(saidTo(managed)).not.toContain("User: first question");
    expect(promptsIn(own)).not.toContain("first question");
    expect(saidTo(own)).toContain("User: first question");
    expect(saidTo(own)).toContain("Assistant: answer 1");
    expect(saidTo(own)).toContain("User: second question");
  });

  test("forks a session with what its own summaries replaced", async () => {
    await using model = await openLoopbackModel({ script: summaryOrAnswer });
    await using rpc = await openManagedRpc({ pi, model, settings: eager, contextWindow: 20_000 });

    for (const prompt of ["first question", "second question", "a wrong turn"])
      await rpc.prompt(prompt);
    const { data } = await rpc.send({ type: "get_fork_messages" });
    await rpc.send({ type: "fork", entryId: entryOf(data, "a wrong turn") });
    await rpc.prompt("another turn");

    expect(model.failures).toEqual([]);
    expect(promptsIn(lastRequest(model))).toEqual([
      "first question",
      "second question",
      "another turn",
    ]);
  });

  test("forks with the user and leaves the old session unchanged", async () => {
    await using model = await openLoopbackModel({ script: callAndAnswer });
    await using rpc = await openManagedRpc({ pi, model });

    await rpc.prompt("first question");
    await rpc.prompt("a wrong turn");
    const { data } = await rpc.send({ type: "get_fork_messages" });
    const entryId = entryOf(data, "a wrong turn");
    await rpc.send({ type: "fork", entryId });
    await rpc.prompt("another turn");

    const last = lastRequest(model);
    expect(model.failures).toEqual([]);
    expect(illegalities(last)).toEqual([]);
    expect(textsOf(last)).not.toContain("a wrong turn");
    expect(last.messages.find(({ role }) => role === "tool")?.text).toMatch(/^\[t1 ok, /u);
    expect(shownHandles(last)).toEqual(["t1"]);
  });

  test("archives the chat for the user, in a fork and after a new start too", async () => {
    await using model = await openLoopbackModel({ script: callAndAnswer });
    await using workspace = await openPiWorkspace({ model, files: managedFiles });
    const start = async (...more: readonly string[]): Promise<PiRpc> =>
      await openPiRpc({
        pi,
        workspace,
        extensions: [adapterFolder],
        arguments: more,
        environment: pooled,
      });
    await using rpc = await start();

    await rpc.prompt("first question");
    await rpc.prompt("/context archive");
    await rpc.prompt("second question");
    const archived = lastRequest(model);
    await rpc.prompt("a wrong turn");
    const { data } = await rpc.send({ type: "get_fork_messages" });
    await rpc.send({ type: "fork", entryId: entryOf(data, "a wrong turn") });
    await rpc.prompt("another turn");
    const forked = lastRequest(model);
    const { sessionFile: record = "" } = await rpc.close();
    await using again = await start("-c");
    await again.prompt("the next turn");
    const resumed = lastRequest(model);

    expect(model.failures).toEqual([]);
    expect(await readFile(record, "utf8")).toContain("first question");
    for (const request of [archived, forked, resumed]) {
      expect(illegalities(request)).toEqual([]);
      expect(saidTo(request)).toContain("[an earlier chat is archived as c1, 1 turn; activate c1");
      expect(saidTo(request)).not.toContain(secretOf("a.txt"));
    }
    expect(promptsIn(archived)).toEqual(["second question"]);
    expect(textsOf(archived)).not.toContain("answer 1");
    expect(promptsIn(forked)).toEqual(["second question", "another turn"]);
    expect(promptsIn(resumed)).toEqual(["second question", "another turn", "the next turn"]);
  });

  test("begins a new session without messages of the old one", async () => {
    await using model = await openLoopbackModel({ script: callAndAnswer });
    await using rpc = await openManagedRpc({ pi, model });

    await rpc.prompt("first question");
    await rpc.send({ type: "new_session" });
    await rpc.prompt("another question");

    expect(model.failures).toEqual([]);
    expect(textsOf(lastRequest(model)).slice(1)).toEqual(["another question"]);
    expect(model.requests.at(-1)?.tools).toEqual(model.requests[0]?.tools);
  });

  test("sends legal requests after the user stopped a tool and then the model", async () => {
    await using model = await openLoopbackModel({
      script: (_request, index) => {
        if (index === 0) return toolCalls(lookCall, ["call_s", "bash", { command: "sleep 60" }]);
        return index === 1 ? { type: "hang", text: "well" } : { type: "text", text: "fine" };
      },
    });
    await using rpc = await openManagedRpc({ pi, model });

    await rpc.send({ type: "prompt", message: "first question" });
    await rpc.event(({ type, toolCallId }) => {
      return type === "tool_execution_end" && toolCallId === "call_a";
    });
    await rpc.send({ type: "abort" });
    await rpc.rest();
    await rpc.send({ type: "prompt", message: "second question" });
    await model.received(1);
    await rpc.send({ type: "abort" });
    await rpc.rest();
    await rpc.prompt("third question");

    const last = lastRequest(model);
    expect(model.failures).toEqual([]);
    expect(illegalities(last)).toEqual([]);
    expect(last.messages.filter(({ role }) => role === "tool").map(({ text }) => text)).toEqual([
      expect.stringMatching(/^\[t1 ok, /u),
      expect.stringMatching(/^\[t2 failed, /u),
    ]);
    expect(textsOf(last)).toEqual(
      expect.arrayContaining(["first question", "second question", "third question"]),
    );
  });

  test("handles a retry and a user's own command", async () => {
    await using model = await openLoopbackModel({
      script: (_request, index) =>
        index === 0
          ? { type: "error", status: 500, message: "try again" }
          : { type: "text", text: `answer ${index}` },
    });
    await using rpc = await openManagedRpc({
      pi,
      model,
      settings: { retry: { enabled: true, maxRetries: 2, baseDelayMs: 1 } },
    });

    await rpc.prompt("first question");
    await rpc.send({ type: "bash", command: "echo by hand" });
    await rpc.prompt("second question");

    expect(model.failures).toEqual([]);
    expect(textsOf(lastRequest(model)).slice(1)).toEqual([
      "first question",
      "answer 1",
      expect.stringContaining("Ran `echo by hand`"),
      "second question",
    ]);
  });
});

const entryOf = (data: unknown, text: string): string => {
  const { messages } = data as { messages: readonly { entryId: string; text: string }[] };
  const found = messages.find((message) => message.text === text);
  if (found === undefined) throw new Error(`no entry has the text ${text}`);
  return found.entryId;
};
