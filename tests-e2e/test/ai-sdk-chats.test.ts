import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import {
  openAnthropicModel,
  openLoopbackModel,
  toolCalls,
} from "@self-context-manager/evaluate/loopback";
import type { ModelRequest } from "@self-context-manager/testkit";
import {
  convertToModelMessages,
  experimental_createSteering,
  generateText,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  readUIMessageStream,
  streamText,
  tool,
  type UIMessage,
  wrapLanguageModel,
} from "ai";
import { describe, expect, it, vi } from "vitest";

import { openSdkChat, said } from "../src/ai-sdk/sdk-chat.ts";
import { openScriptedModel } from "../src/ai-sdk/scripted-sdk-model.ts";

/** The texts of a request's messages, without those of the context manager. */
function textsIn(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).map(({ text }) => text);
}

/** The ids of calls and of results, in order. */
function pairsIn(request: ModelRequest | undefined): readonly (readonly string[])[] {
  const messages = request?.messages ?? [];
  return [
    messages.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id)),
    messages.flatMap(({ toolCallId = [] }) => toolCallId),
  ];
}

const show = (id: string) => [{ id, name: "show", arguments: { path: "a.txt" } }];

describe("a chat on the AI SDK that goes back", () => {
  it("shows nothing of an answer that is made again", async () => {
    await using chat = await openSdkChat();
    const first = [said("one")];
    const made = await chat.run(first, ["answer one"]);
    const second = [...first, ...made, said("two")];
    await chat.run(second, [show("s1"), "answer two"]);

    const again = await chat.run(second, ["another answer"]);
    await chat.run([...second, ...again, said("three")], ["answer three"]);

    expect(textsIn(chat.requests.at(-2))).toEqual(["one", "answer one", "two"]);
    expect(textsIn(chat.requests.at(-1))).toEqual([
      "one",
      "answer one",
      "two",
      "another answer",
      "three",
    ]);
  });

  it("notices an answer that is made again after a restart", async () => {
    await using chat = await openSdkChat();
    await chat.run([said("one")], [show("s1"), "answer one"]);
    await chat.restart();

    await chat.run([said("one")], ["another answer"]);

    expect(textsIn(chat.requests.at(-1))).toEqual(["one"]);
  });

  it("begins again where the first message was edited", async () => {
    await using chat = await openSdkChat();
    const made = await chat.run([said("one")], [show("s1"), "answer one"]);
    await chat.run([said("one"), ...made, said("two")], ["answer two"]);

    await chat.run([said("one, edited")], ["another answer"]);

    expect(textsIn(chat.requests.at(-1))).toEqual(["one, edited"]);
  });

  it("begins a branch where a message was edited", async () => {
    await using chat = await openSdkChat();
    const made = await chat.run([said("one")], ["answer one"]);
    const begun = [said("one"), ...made];
    await chat.run([...begun, said("two")], ["answer two"]);

    await chat.run([...begun, said("two, edited")], ["answer to the edited"]);

    expect(textsIn(chat.requests.at(-1))).toEqual(["one", "answer one", "two, edited"]);
  });

  it("stays where it is when a failed request is repeated", async () => {
    await using chat = await openSdkChat();
    const made = await chat.run([said("one")], ["answer one"]);
    const list = [said("one"), ...made, said("two")];
    await expect(chat.run(list, [])).rejects.toThrow("the script has ended");

    await chat.run(list, ["answer two"]);

    expect(textsIn(chat.requests.at(-1))).toEqual(["one", "answer one", "two"]);
    expect(chat.notices).toEqual([]);
  });

  it("takes the same words again for a new message", async () => {
    await using chat = await openSdkChat();
    const made = await chat.run([said("go on")], ["answer one"]);

    await chat.run([said("go on"), ...made, said("go on")], ["answer two"]);

    expect(textsIn(chat.requests.at(-1))).toEqual(["go on", "answer one", "go on"]);
  });
});

describe("a run on the AI SDK", () => {
  it("keeps messages that steer it at their place", async () => {
    await using chat = await openSdkChat();
    const steering = experimental_createSteering();
    const delivered = steering.steer("use b instead");
    const made = await chat.run([said("one")], [show("s1"), "answer one"], {
      experimental_steering: steering,
    });

    await chat.run([said("one"), said("use b instead"), ...made, said("two")], ["answer two"]);

    expect(await delivered).toMatchObject({ type: "delivered" });
    const last = textsIn(chat.requests.at(-1));
    expect(last.filter((text) => text === "use b instead")).toHaveLength(1);
    expect(last.slice(0, 2)).toEqual(["one", "use b instead"]);
    expect(pairsIn(chat.requests.at(-1))).toEqual([["s1"], ["s1"]]);
  });

  it("continues after the user has approved a call", async () => {
    const remove = tool({
      inputSchema: jsonSchema<{ path: string }>({ type: "object", properties: {} }),
      needsApproval: true,
      execute: ({ path }) => `removed ${path}`,
    });
    await using chat = await openSdkChat({ tools: { remove } });
    const call = { id: "r1", name: "remove", arguments: { path: "a.txt" } };
    const asked = await chat.run([said("remove a")], [[call]]);
    const approvalId = /"approvalId":"([^"]+)"/u.exec(JSON.stringify(asked))?.[1] ?? "";
    const approval: ModelMessage = {
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId, approved: true }],
    };

    const begun = [said("remove a"), ...asked, approval];
    const made = await chat.run(begun, ["removed"]);
    await chat.run([...begun, ...made, said("two")], ["answer two"]);

    expect(textsIn(chat.requests.at(-1))).toEqual([
      "remove a",
      "",
      expect.stringContaining("removed a.txt"),
      "removed",
      "two",
    ]);
    expect(pairsIn(chat.requests.at(-1))).toEqual([["r1"], ["r1"]]);
  });

  it("recognises its answers without their thinking and their options", async () => {
    const openModel: typeof openScriptedModel = async (options) =>
      await openScriptedModel({
        ...options,
        model: (request) => ({ ...options.model(request), thinking: "a thought" }),
      });
    await using chat = await openSdkChat({ openModel });
    const made = await chat.run([said("one")], [show("s1"), "answer one"]);
    const stored = made.map((message) => {
      if (message.role !== "assistant" || typeof message.content === "string") return message;
      const content = message.content.filter(({ type }) => type !== "reasoning");
      return { ...message, content };
    });

    await chat.run([said("one"), ...stored, said("two")], ["answer two"]);

    const last = chat.requests.at(-1);
    expect(textsIn(last).filter((text) => text === "answer one")).toHaveLength(1);
    expect(last?.messages.map(({ thinking }) => thinking)).toContain("a thought");
    expect(pairsIn(last)).toEqual([["s1"], ["s1"]]);
  });

  it("recognises its messages after they were messages of a user interface", async () => {
    await using chat = await openSdkChat();
    const { context } = chat;
    const settings = { tools: context.tools, prepareStep: context.prepareStep };
    const sdk = await openScriptedModel({
      thinking: "free",
      model: ({ messages }) =>
        messages.at(-1)?.role === "tool"
          ? { text: "answer one", calls: [], thinking: "a thought" }
          : { text: "I look.", calls: show("s1"), thinking: "a thought" },
    });
    const first = {
      id: "m1",
      role: "user" as const,
      parts: [{ type: "text" as const, text: "one" }],
    };
    const result = streamText({
      ...settings,
      model: sdk.model,
      messages: await convertToModelMessages([first]),
      stopWhen: isStepCount(5),
    });
    let answer: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream: result.toUIMessageStream() }))
      answer = message;
    await context.finish(result);
    const kept = answer === undefined ? [] : [answer];
    const messages = await convertToModelMessages([first, ...kept], { tools: context.tools });

    await chat.run([...messages, said("two")], ["answer two"]);

    const last = chat.requests.at(-1);
    expect(textsIn(last)).toEqual(["one", "I look.", "the text of a\n", "answer one", "two"]);
    expect(pairsIn(last)).toEqual([["s1"], ["s1"]]);
  });

  it("has its last answer in the session when it is finished", async () => {
    await using chat = await openSdkChat();

    await chat.run([said("one")], [show("s1"), "answer one"]);

    const session = await chat.session();
    const view = await session.peekView();
    expect(JSON.stringify(view.messages)).toContain("answer one");
  });

  it("learns from the tokens that the provider reports", async () => {
    await using chat = await openSdkChat({ openModel: openCountingModel });

    await chat.run([said("one")], [show("s1"), show("s2"), "answer one"]);

    const { account } = await (await chat.session()).peekView();
    expect(account?.reported).toMatchObject({ input: 15_000 });
  });
});

it("takes over the tokens of a chat without tools", async () => {
  await using chat = await openSdkChat({ openModel: openCountingModel });

  const made = await chat.run([said("one")], ["answer one"]);
  await chat.run([said("one"), ...made, said("two")], ["answer two"]);

  const { account } = await (await chat.session()).peekView();
  expect(account?.reported).toMatchObject({ calls: 2, input: 10_000 });
});

it("sends no thinking of an answer to a view where a request has no context tools", async () => {
  await using chat = await openSdkChat();
  const sdk = await openScriptedModel({
    thinking: "bound",
    model: ({ messages }) => ({
      text: "",
      thinking: "a thought",
      calls: messages.length < 3 ? show("s1") : [],
    }),
  });

  await generateText({
    model: sdk.model,
    messages: [said("one")],
    tools: chat.context.tools,
    stopWhen: isStepCount(2),
    prepareStep: async (step) => ({
      ...(await chat.context.prepareStep(step)),
      ...(step.stepNumber === 1 ? { activeTools: ["show"] } : {}),
    }),
  });

  const [first, second] = sdk.requests;
  expect(first?.tools).toContain("activate");
  expect(second?.tools).toEqual(["show"]);
  expect(pairsIn(second)).toEqual([["s1"], ["s1"]]);
  expect(JSON.stringify(second)).not.toContain("a thought");
});

it("shows a provider the result of its own tool as the provider asks for it", async () => {
  const bodies: string[] = [];
  const answers = [
    {
      type: "local_shell_call",
      id: "ls_1",
      call_id: "c1",
      status: "completed",
      action: { type: "exec", command: ["ls"], env: {} },
    },
    {
      type: "message",
      id: "m1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "done", annotations: [] }],
    },
  ];
  const openai = createOpenAI({
    apiKey: "none",
    fetch: async (_, request) => {
      bodies.push(typeof request?.body === "string" ? request.body : "");
      const usage = { input_tokens: 1, output_tokens: 1 };
      const reply = { id: "r", created_at: 1, model: "gpt-5", output: [answers.shift()], usage };
      return await Promise.resolve(Response.json(reply));
    },
  });
  const shell = openai.tools.localShell({
    execute: async () => await Promise.resolve({ output: "a.txt" }),
  });
  await using chat = await openSdkChat({ tools: { local_shell: shell } });

  await generateText({
    model: openai.responses("gpt-5"),
    providerOptions: { openai: { store: false } },
    messages: [said("list the files")],
    tools: chat.context.tools,
    prepareStep: chat.context.prepareStep,
    stopWhen: isStepCount(3),
  });

  expect(bodies.at(-1)).toContain('"type":"local_shell_call_output","call_id":"c1"');
});

describe("the marks for Anthropic's cache", () => {
  it("let the provider find what it got before", async () => {
    const server = await openAnthropicModel({
      script: ({ index }) =>
        index < 6
          ? toolCalls([`s${index}`, "show", { path: index % 2 === 0 ? "a.txt" : "b.txt" }])
          : { type: "text", text: "done" },
    });
    await using chat = await openSdkChat();
    const model = createAnthropic({ baseURL: server.url, apiKey: "none" })("claude-sonnet-4-5");
    const { tools, prepareStep } = chat.context;

    const result = streamText({
      model,
      messages: [said(`look. ${"The first words of the user. ".repeat(400)}`)],
      tools,
      prepareStep,
      stopWhen: isStepCount(20),
    });
    await result.consumeStream();
    await server[Symbol.asyncDispose]();

    expect(server.failures).toEqual([]);
    expect(server.requests).toHaveLength(7);
    const [first, ...later] = server.billed;
    expect(first?.read).toBe(0);
    for (const { read, written, input } of later)
      expect(read).toBeGreaterThan(10 * (written + input));
  });
});

describe("code that only takes a model", () => {
  it("sends its prompts unchanged, and they are recorded", async () => {
    await using chat = await openSdkChat();
    const sdk = await openScriptedModel({
      thinking: "free",
      model: () => ({ text: "an answer", calls: [] }),
    });
    const model = wrapLanguageModel({ model: sdk.model, middleware: chat.context.middleware });

    await generateText({ model, instructions: "You help.", messages: [said("one")] });

    expect(sdk.requests[0]).toMatchObject({ instruction: "You help.", tools: [] });
    expect(textsIn(sdk.requests[0])).toEqual(["one"]);
    const session = await chat.session();
    expect(JSON.stringify((await session.peekView()).messages)).toContain("one");
  });
});

/** Opens a model that reports 5,000 tokens for each request. */
async function openCountingModel(
  options: Parameters<typeof openScriptedModel>[0],
): ReturnType<typeof openScriptedModel> {
  return await openScriptedModel({
    ...options,
    model: (request) => ({ ...options.model(request), tokens: 5_000 }),
  });
}

describe("a chat on the AI SDK with a model for summaries", () => {
  it("has a summary of each finished turn, and a note of each long result", async () => {
    const answer = {
      short_summary: "The parser keeps the old format.",
      long_summary: "Decided: the old format stays, because three clients read it.",
      results: { t1: "A log of 400 equal lines." },
    };
    await using small = await openLoopbackModel({
      script: () => ({ type: "text", text: JSON.stringify(answer) }),
    });
    const model = createOpenAI({ baseURL: small.url, apiKey: "none" }).chat("small-1");
    const log = tool({
      inputSchema: jsonSchema({ type: "object" }),
      execute: () => "a line of the log\n".repeat(400),
    });
    await using chat = await openSdkChat({
      tools: { log },
      summaries: { model, results: true },
    });
    const first = [said(`Make the parser faster. ${"It reads each line again. ".repeat(100)}`)];
    const made = await chat.run(first, [
      [{ id: "call_1", name: "log", arguments: {} }],
      "The parser is faster.",
    ]);
    const session = await chat.session();
    await vi.waitFor(async () => expect((await session.status()).summaries.count).toBe(1));

    await chat.run(
      [...first, ...made, said("What was decided?")],
      [
        [
          {
            id: "call_2",
            name: "activate",
            arguments: { id: "chat", turn: 1, field: "long_summary" },
          },
        ],
        "The old format stays.",
      ],
    );

    expect(small.requests).toHaveLength(1);
    expect(
      chat.requests
        .at(-1)
        ?.messages.map(({ text }) => text)
        .join("\n"),
    ).toContain(answer.long_summary);
    const notes = (await session.status()).objects.flatMap(
      ({ stored: { body } }) => body["short_summary"] ?? [],
    );
    expect(notes).toEqual(["A log of 400 equal lines."]);
  });
});
