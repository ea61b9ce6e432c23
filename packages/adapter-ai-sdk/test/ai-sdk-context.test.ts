import type { ContextSession } from "@self-context-manager/core";
import {
  customProvider,
  generateText,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  type ToolSet,
  tool,
  wrapLanguageModel,
} from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, expectTypeOf, it } from "vitest";

import {
  aiSdkContext,
  type AiSdkContext,
  type AiSdkContextOptions,
} from "../src/ai-sdk-context.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const show = tool({
  inputSchema: jsonSchema<{ path: string }>({ type: "object", properties: {} }),
  execute: ({ path }) => `text of ${path}`,
});

/** A model that calls `show` once and then answers. */
function twoSteps(): MockLanguageModelV4 {
  const call = {
    type: "tool-call" as const,
    toolCallId: "c1",
    toolName: "show",
    input: '{"path":"a.txt"}',
  };
  const said = { type: "text" as const, text: "done" };
  return new MockLanguageModelV4({
    doGenerate: [
      {
        content: [call],
        finishReason: { unified: "tool-calls", raw: undefined },
        usage,
        warnings: [],
      },
      { content: [said], finishReason: { unified: "stop", raw: undefined }, usage, warnings: [] },
    ],
  });
}

async function noSession(): Promise<ContextSession> {
  return await Promise.reject(new Error("the disk is full"));
}

function failing<Tools extends ToolSet>(
  tools: Tools,
  options: Partial<AiSdkContextOptions<Tools>> = {},
): AiSdkContext<Tools> {
  return aiSdkContext({ openSession: noSession, tools, ...options });
}

const messages: ModelMessage[] = [{ role: "user", content: "look" }];
const stopWhen = isStepCount(5);

describe("a chat whose session cannot be opened", () => {
  it("sends the requests that the app sends without the adapter", async () => {
    const [managed, plain] = [twoSteps(), twoSteps()];
    const context = failing({ show });

    await generateText({
      model: plain,
      messages,
      tools: { show },
      stopWhen,
      instructions: "You help.",
    });
    const result = await generateText({
      model: managed,
      messages,
      tools: context.tools,
      prepareStep: context.prepareStep,
      stopWhen,
      instructions: "You help.",
    });
    await context.finish(result);

    const prompts = (model: MockLanguageModelV4): unknown =>
      model.doGenerateCalls.map(({ prompt }) => prompt);
    expect(prompts(managed)).toEqual(prompts(plain));
    expect(result.text).toBe("done");
  });

  it("notifies the user once", async () => {
    const notices: string[] = [];
    const context = failing({ show }, { notify: (text) => void notices.push(text) });
    const settings = { messages, tools: context.tools, prepareStep: context.prepareStep, stopWhen };

    await context.finish(await generateText({ ...settings, model: twoSteps() }));
    await context.finish(await generateText({ ...settings, model: twoSteps() }));

    expect(notices).toEqual([expect.stringContaining("The disk is full")]);
  });

  it("tries once to open it for each request, and not when the run is finished", async () => {
    let opened = 0;
    const openSession = async (): Promise<ContextSession> => {
      opened += 1;
      return await noSession();
    };
    const context = failing({}, { openSession });
    const answered: ModelMessage[] = [{ role: "assistant", content: "an answer" }];

    await context.finish(
      await generateText({
        model: twoSteps(),
        messages: [...messages, ...answered, ...messages],
        tools: context.tools,
        prepareStep: context.prepareStep,
      }),
    );

    expect(opened).toBe(1);
  });

  it("sends no thinking to a model that binds it", async () => {
    const model = new MockLanguageModelV4({
      provider: "anthropic.messages",
      modelId: "claude-opus-5-5",
      doGenerate: twoSteps().doGenerate,
    });
    const context = failing({ show });
    const providerOptions = { anthropic: { signature: "abc" } };
    const thought: ModelMessage = {
      role: "assistant",
      content: [
        { type: "reasoning", text: "a thought", providerOptions },
        { type: "text", text: "an answer" },
      ],
    };

    await generateText({
      model,
      messages: [...messages, thought, ...messages],
      tools: context.tools,
      prepareStep: context.prepareStep,
      stopWhen,
    });

    const sent = JSON.stringify(model.doGenerateCalls.map(({ prompt }) => prompt));
    expect(sent).toContain("an answer");
    expect(sent).not.toContain("a thought");
  });

  it("leaves the results of context tools as refusals with a reason", async () => {
    const { tools } = failing({});

    const answer = await tools.pin?.execute?.(
      { id: "f1" },
      { toolCallId: "c1", messages: [], context: undefined },
    );

    expect(answer).toMatchObject({
      isError: true,
      text: expect.stringContaining("The disk is full"),
    });
  });
});

it("finds a model by its name where the SDK finds it", async () => {
  const model = twoSteps();
  globalThis.AI_SDK_DEFAULT_PROVIDER = customProvider({
    languageModels: { "own/model": model },
  });
  const context = failing({ show });

  const { text } = await generateText({
    model: "own/model",
    messages,
    tools: context.tools,
    prepareStep: context.prepareStep,
    stopWhen,
  });
  globalThis.AI_SDK_DEFAULT_PROVIDER = undefined;

  expect(text).toBe("done");
});

it("gives the context tools other names if one of theirs is taken", () => {
  expect(Object.keys(failing({ show }).tools)).toEqual([
    "show",
    "read",
    "activate",
    "deactivate",
    "pin",
    "unpin",
    "find_objects",
  ]);
  expect(Object.keys(failing({ pin: show, read: show }).tools)).toEqual([
    "pin",
    "read",
    "context_activate",
    "context_deactivate",
    "context_pin",
    "context_unpin",
    "context_find_objects",
  ]);
});

it("sends a prompt that it cannot read as it is", async () => {
  const unreadable = { toJSON: () => expect.unreachable("the prompt is read") };
  const { middleware } = failing({});
  const prompt = [
    { role: "user" as const, content: [{ type: "text" as const, text: "look" }] },
    {
      role: "user" as const,
      content: [{ type: "text" as const, text: "at this", providerOptions: { own: unreadable } }],
    },
  ];

  const made = await middleware.transformParams?.({
    type: "generate",
    // The SDK's type has only JSON.
    params: { prompt: prompt as never },
    model: twoSteps(),
  });

  expect(made?.prompt).toEqual(prompt);
});

it("passes on the error of a model behind the middleware", async () => {
  const refusing = new MockLanguageModelV4({
    doGenerate: async () => await Promise.reject(new Error("too long")),
  });
  const model = wrapLanguageModel({ model: refusing, middleware: failing({}).middleware });

  await expect(generateText({ model, messages, maxRetries: 0 })).rejects.toThrow("too long");
});

it("keeps the types of the app's tools", () => {
  const context = failing({ show });
  const run = async () =>
    await generateText({
      model: twoSteps(),
      messages,
      tools: context.tools,
      prepareStep: context.prepareStep,
    });

  type Call = Awaited<ReturnType<typeof run>>["staticToolCalls"][number];
  expectTypeOf<Extract<Call, { toolName: "show" }>["input"]>().toEqualTypeOf<{ path: string }>();
  expectTypeOf<Call["toolName"]>().toEqualTypeOf<
    "show" | "activate" | "deactivate" | "pin" | "unpin" | "find_objects"
  >();
});
