import { describe, expect, it, test } from "vitest";

import { eventData } from "../../../src/meter/answers/event-data.ts";
import { readAnswer } from "../../../src/meter/answers/read-answer.ts";
import type { ModelApi } from "../../../src/model/model-access.ts";

/** A stream of events, each with its name as Anthropic and Responses send it. */
const named = (...events: readonly { readonly type: string }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

/** A stream of events without names. */
const unnamed = (...events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

const read = (api: ModelApi, body: string, status = 200) => readAnswer(api, { status, body });

describe("an answer of Anthropic", () => {
  const start = {
    type: "message_start",
    message: {
      id: "msg_01",
      type: "message",
      role: "assistant",
      content: [],
      usage: {
        input_tokens: 12,
        cache_creation_input_tokens: 300,
        cache_read_input_tokens: 2_000,
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
        output_tokens: 1,
      },
    },
  };
  const blocks = [
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    { type: "ping" },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "I read " } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "it." } },
    { type: "content_block_stop", index: 1 },
    {
      type: "content_block_start",
      index: 2,
      content_block: { type: "tool_use", id: "toolu_1", name: "read", input: {} },
    },
    {
      type: "content_block_delta",
      index: 2,
      delta: { type: "input_json_delta", partial_json: "" },
    },
    {
      type: "content_block_delta",
      index: 2,
      delta: { type: "input_json_delta", partial_json: '{"path":' },
    },
    {
      type: "content_block_delta",
      index: 2,
      delta: { type: "input_json_delta", partial_json: '"a.ts"}' },
    },
    { type: "content_block_stop", index: 2 },
    {
      type: "content_block_start",
      index: 3,
      content_block: { type: "tool_use", id: "toolu_2", name: "list", input: {} },
    },
    { type: "content_block_stop", index: 3 },
  ];
  const end = [
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 89 } },
    { type: "message_stop" },
  ];
  const usage = { input: 12, cacheRead: 2_000, cacheWrite: 300, cacheWriteLong: 200, output: 89 };

  it("has its input in the first event and its output in the last", () => {
    expect(read("anthropic-messages", named(start, ...blocks, ...end))).toEqual({
      usage,
      answer: {
        text: "I read it.",
        toolCalls: [
          { name: "read", arguments: '{"path":"a.ts"}' },
          { name: "list", arguments: "{}" },
        ],
      },
      isComplete: true,
    });
  });

  it("keeps counts that the last event repeats as null, and takes those that it corrects", () => {
    const last = {
      type: "message_delta",
      usage: { input_tokens: 13, cache_read_input_tokens: null, output_tokens: 89 },
    };

    expect(read("anthropic-messages", named(start, last)).usage).toEqual({ ...usage, input: 13 });
  });

  it("is incomplete without its last event, and has the usage up to then", () => {
    expect(read("anthropic-messages", named(start, ...blocks.slice(0, 6)))).toMatchObject({
      usage: { ...usage, output: 1 },
      answer: { text: "I read " },
      isComplete: false,
    });
  });

  it("can contain an error", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };

    expect(read("anthropic-messages", named(start, error))).toMatchObject({
      isComplete: false,
      error: "Overloaded",
    });
  });

  it("can be one object", () => {
    const message = {
      type: "message",
      content: [
        { type: "text", text: "I read it." },
        { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.ts" } },
      ],
      usage: { input_tokens: 3, output_tokens: 5 },
    };

    expect(read("anthropic-messages", JSON.stringify(message, null, 2))).toEqual({
      usage: { input: 3, cacheRead: 0, cacheWrite: 0, output: 5 },
      answer: { text: "I read it.", toolCalls: [{ name: "read", arguments: '{"path":"a.ts"}' }] },
      isComplete: true,
    });
  });
});

describe("an answer of chat completions", () => {
  const delta = (delta: object, finish_reason: string | null = null) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
    usage: null,
  });
  const stream = [
    delta({ role: "assistant", content: "" }),
    delta({ content: "I read " }),
    delta({ content: "it." }),
    delta({
      tool_calls: [
        { index: 0, id: "call_1", type: "function", function: { name: "read", arguments: "" } },
      ],
    }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '{"path":' } }] }),
    delta({
      tool_calls: [{ index: 1, id: "call_2", function: { name: "list", arguments: "{}" } }],
    }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '"a.ts"}' } }] }),
    delta({}, "tool_calls"),
  ];
  const answer = {
    text: "I read it.",
    toolCalls: [
      { name: "read", arguments: '{"path":"a.ts"}' },
      { name: "list", arguments: "{}" },
    ],
  };
  const usage = {
    prompt_tokens: 1_000,
    completion_tokens: 40,
    prompt_tokens_details: { cached_tokens: 896 },
    completion_tokens_details: { reasoning_tokens: 30 },
  };

  it("has its usage in the last event, in which the prompt has the cached tokens too", () => {
    const body = `${unnamed(...stream, { choices: [], usage })}data: [DONE]\n\n`;

    expect(read("openai-completions", body)).toEqual({
      usage: { input: 104, cacheRead: 896, cacheWrite: 0, output: 40 },
      answer,
      isComplete: true,
    });
  });

  it("has no usage if the request did not ask for it", () => {
    expect(read("openai-completions", `${unnamed(...stream)}data: [DONE]\n\n`)).toEqual({
      answer,
      isComplete: true,
    });
  });

  it("can be one object", () => {
    const message = {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "call_1",
          type: "function",
          function: { name: "read", arguments: '{"path":"a.ts"}' },
        },
        { id: "call_2", type: "function", function: { name: "list", arguments: "{}" } },
      ],
    };
    const body = JSON.stringify({
      choices: [{ index: 0, message, finish_reason: "tool_calls" }],
      usage: { prompt_tokens: 7, completion_tokens: 2, prompt_cache_hit_tokens: 3 },
    });

    expect(read("openai-completions", body)).toEqual({
      usage: { input: 4, cacheRead: 3, cacheWrite: 0, output: 2 },
      answer: { text: "", toolCalls: answer.toolCalls },
      isComplete: true,
    });
  });

  it("is incomplete if the stream breaks off", () => {
    expect(read("openai-completions", unnamed(...stream.slice(0, 2))).isComplete).toBe(false);
  });
});

describe("an answer of Responses", () => {
  const items = [
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }] },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "I read it.", annotations: [] }],
    },
    { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"a.ts"}' },
  ];
  const usage = {
    input_tokens: 1_000,
    input_tokens_details: { cached_tokens: 600 },
    output_tokens: 70,
    output_tokens_details: { reasoning_tokens: 20 },
  };
  const done = items.map((item, output_index) => ({
    type: "response.output_item.done",
    output_index,
    item,
  }));
  const answer = {
    text: "I read it.",
    toolCalls: [{ name: "read", arguments: '{"path":"a.ts"}' }],
  };
  const counted = { input: 400, cacheRead: 600, cacheWrite: 0, output: 70 };

  test.each(["response.completed", "response.incomplete"])("has its usage in %s", (type) => {
    const body = named(
      { type: "response.created", response: { id: "resp_1", usage: null } } as { type: string },
      { type: "response.output_text.delta", delta: "I read it." } as { type: string },
      ...done,
      { type, response: { id: "resp_1", output: items, usage } } as { type: string },
    );

    expect(read("openai-responses", body)).toEqual({ usage: counted, answer, isComplete: true });
  });

  it("can be one object", () => {
    const body = JSON.stringify({ object: "response", status: "completed", output: items, usage });

    expect(read("openai-responses", body)).toEqual({ usage: counted, answer, isComplete: true });
  });

  it("can fail", () => {
    const failed = {
      type: "response.failed",
      response: {
        error: {
          code: "context_length_exceeded",
          message: "Your input exceeds the context window of this model.",
        },
      },
    };

    expect(read("openai-responses", named(...done, failed))).toEqual({
      answer,
      isComplete: false,
      error: "Your input exceeds the context window of this model.",
      isOverWindow: true,
    });
  });
});

describe("an answer of Google", () => {
  const chunks = [
    {
      candidates: [{ content: { parts: [{ text: "Hm.", thought: true }], role: "model" } }],
      usageMetadata: { promptTokenCount: 1_000, totalTokenCount: 1_000 },
    },
    {
      candidates: [{ content: { parts: [{ text: "I read it." }], role: "model" } }],
      usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 4, thoughtsTokenCount: 9 },
    },
    {
      candidates: [
        {
          content: { parts: [{ functionCall: { name: "read", args: { path: "a.ts" } } }] },
          finishReason: "STOP",
        },
      ],
      usageMetadata: {
        promptTokenCount: 1_000,
        cachedContentTokenCount: 700,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 9,
      },
    },
  ];
  const whole = {
    usage: { input: 300, cacheRead: 700, cacheWrite: 0, output: 29 },
    answer: { text: "I read it.", toolCalls: [{ name: "read", arguments: '{"path":"a.ts"}' }] },
    isComplete: true,
  };

  it("has its usage in the last event, in which the prompt has the cached tokens too", () => {
    expect(read("google-generative-ai", unnamed(...chunks))).toEqual(whole);
  });

  it("can be a list of objects", () => {
    expect(read("google-generative-ai", JSON.stringify(chunks))).toEqual(whole);
  });
});

describe("an error before the answer", () => {
  test.each([
    [
      "anthropic-messages" as const,
      400,
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "prompt is too long: 9 tokens > 8 maximum",
        },
      },
      { error: "prompt is too long: 9 tokens > 8 maximum", isOverWindow: true },
    ],
    [
      "openai-completions" as const,
      400,
      { error: { code: 400, message: "too big", type: "exceed_context_size_error" } },
      { error: "too big", isOverWindow: true },
    ],
    ["openai-responses" as const, 401, { error: { message: "bad key" } }, { error: "bad key" }],
    [
      "google-generative-ai" as const,
      503,
      [{ error: { code: 503, message: "The model is overloaded." } }],
      { error: "The model is overloaded." },
    ],
    ["openai-completions" as const, 404, { error: "no model" }, { error: "no model" }],
    ["openai-completions" as const, 422, { detail: "no model" }, { error: "no model" }],
  ])("of %s with status %i has its message", (api, status, body, expected) => {
    const answer = { text: "", toolCalls: [] };

    expect(read(api, JSON.stringify(body), status)).toEqual({
      answer,
      isComplete: true,
      ...expected,
    });
  });

  it("that is no JSON is cut to 500 characters", () => {
    expect(read("openai-responses", "<html>".repeat(200), 500).error).toHaveLength(500);
  });

  it("is not taken from the text of an answer", () => {
    const said = { candidates: [{ content: { parts: [{ text: "prompt is too long" }] } }] };

    expect(read("google-generative-ai", unnamed(said))).not.toHaveProperty("isOverWindow");
  });
});

describe("the data of events", () => {
  test.each([
    ["with any line end", "data: a\r\rdata: b\r\n\r\ndata: c\n\n", ["a", "b", "c"]],
    ["of several lines", "data: a\ndata:b\n\n", ["a\nb"]],
    ["without comments and other fields", ": ping\n\nid: 1\nevent: x\ndata: a\n\n", ["a"]],
    ["without an empty line at the end", "data: a\n\ndata: b", ["a", "b"]],
  ])("are read %s", (_, stream, data) => {
    expect(eventData(stream)).toEqual(data);
  });
});
