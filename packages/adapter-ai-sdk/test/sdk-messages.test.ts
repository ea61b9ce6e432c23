import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { toJson } from "@self-context-manager/core/host";
import { codecContract } from "@self-context-manager/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  promptOf,
  sdkCodec,
  sdkMessage,
  type SdkMessage,
  sdkMessages,
} from "../src/sdk-messages.ts";

/** Returns the prompt of a view that shows these messages as they are. */
function shown(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return promptOf(sdkMessages(prompt).map((one) => sdkMessage(sdkCodec.decode(one) as never)));
}

function keyOf(message: LanguageModelV4Message): unknown {
  return sdkMessages([message]).map((one) => sdkCodec.identify(one));
}

const marked = { anthropic: { cacheControl: { type: "ephemeral" } } };
const signed = { anthropic: { signature: "abc=" } };
const details = { self_context_manager: { report: "f1 is pinned.", effects: [] } };

function raw(message: LanguageModelV4Message): SdkMessage {
  const [one] = sdkMessages([message]);
  if (one === undefined) throw new TypeError("a sample is one message");
  return one;
}

function result(toolCallId: string, output: object): SdkMessage {
  return {
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName: "show", output }],
  } as SdkMessage;
}

codecContract({
  name: "of the AI SDK",
  codec: sdkCodec,
  encode: (message) => sdkMessage(message),
  samples: [
    { role: "system", content: "You help." },
    raw({
      role: "user",
      content: [
        {
          type: "file",
          mediaType: "application/pdf",
          filename: "a.pdf",
          data: { type: "data", data: "AAAA" },
        },
        {
          type: "file",
          mediaType: "image/png",
          data: { type: "url", url: new URL("https://a.example/b.png") },
        },
      ],
    }),
    raw({
      role: "assistant",
      content: [
        {
          type: "tool-call",
          toolCallId: "p1",
          toolName: "web_search",
          input: {},
          providerExecuted: true,
        },
        {
          type: "tool-result",
          toolCallId: "p1",
          toolName: "web_search",
          output: { type: "json", value: [] },
        },
        { type: "custom", kind: "anthropic.fallback", providerOptions: signed },
      ],
    }),
    result("j1", { type: "json", value: { found: [1, null] } }),
    result("e1", { type: "error-json", value: { code: 7 } }),
    result("d1", { type: "execution-denied", reason: "not now" }),
    result("d2", { type: "execution-denied" }),
    raw({
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId: "q1", approved: true }],
    }),
  ],
  signed: {
    message: raw({
      role: "assistant",
      content: [
        { type: "reasoning", text: "a thought", providerOptions: signed },
        { type: "text", text: "an answer after a thought" },
      ],
    }),
    thinking: "a thought",
    signature: "abc=",
  },
  detailed: {
    message: result("c1", { type: "text", value: "f1 is pinned.", providerOptions: details }),
    details,
  },
  sentAgain: (message) => ({ ...message, providerOptions: marked, usage: { inputTokens: 7 } }),
});

const text = fc.string({ minLength: 1 }).filter((one) => one.isWellFormed() && one.trim() !== "");
const options = fc.option(fc.constantFrom(signed, { openai: { itemId: "rs_1" } }), {
  nil: undefined,
});
const textPart = fc.record({ type: fc.constant("text" as const), text }, { noNullPrototype: true });
const dataOfFile = fc.oneof(
  fc.base64String({ minLength: 4 }).map((data) => ({ type: "data" as const, data })),
  fc.uint8Array({ minLength: 1 }).map((data) => ({ type: "data" as const, data })),
  fc.webUrl().map((url) => ({ type: "url" as const, url: new URL(url) })),
  fc.record({ type: fc.constant("text" as const), text }),
);
const filePart = fc.record({
  type: fc.constant("file" as const),
  mediaType: fc.constantFrom("image/png", "image", "application/pdf", "audio/mpeg"),
  data: dataOfFile,
});
const reasoning = fc.record({
  type: fc.constant("reasoning" as const),
  text: fc.string(),
  providerOptions: options,
});
const input = fc.dictionary(fc.string(), fc.jsonValue()).map((one) => toJson(one));
const call = fc.record({
  type: fc.constant("tool-call" as const),
  toolCallId: text,
  toolName: text,
  input,
});
const output = fc.oneof(
  fc.record({
    type: fc.constantFrom("json" as const, "error-json" as const),
    value: fc
      .jsonValue()
      .map((one) => toJson(one))
      .filter((one) => typeof one !== "string"),
  }),
  fc.record({ type: fc.constant("execution-denied" as const), reason: text }),
  fc.record({ type: fc.constantFrom("text" as const, "error-text" as const), value: text }),
  fc
    .array(fc.oneof(textPart, filePart), { minLength: 1 })
    .filter((parts) => parts.some(({ type }) => type === "file"))
    .map((value) => ({ type: "content" as const, value })),
);
const toolResult = fc.record({
  type: fc.constant("tool-result" as const),
  toolCallId: text,
  toolName: text,
  output,
});
const message = fc.oneof(
  fc.record({
    role: fc.constant("user" as const),
    content: fc.array(fc.oneof(textPart, filePart), { minLength: 1 }),
  }),
  fc.record({
    role: fc.constant("assistant" as const),
    content: fc.array(fc.oneof(textPart, reasoning, call, filePart), { minLength: 1 }),
    providerOptions: options,
  }),
  fc.record({
    role: fc.constant("tool" as const),
    content: fc.array(toolResult, { minLength: 1 }),
  }),
) as fc.Arbitrary<LanguageModelV4Message>;

/** A prompt as JSON, with joined results and bytes in base64, as providers read it. */
function comparable(prompt: LanguageModelV4Prompt): unknown {
  return toJson(promptOf(sdkMessages(prompt)));
}

describe("a message of the SDK", () => {
  it("is the same in a view as in the app's prompt", () => {
    fc.assert(
      fc.property(fc.array(message), (prompt) => {
        expect(toJson(shown(prompt))).toEqual(comparable(prompt));
      }),
    );
  });

  it("has the URLs of its files as objects again", () => {
    const url = new URL("https://a.example/b.pdf");
    const file = {
      type: "file" as const,
      mediaType: "application/pdf",
      data: { type: "url" as const, url },
    };
    const prompt: LanguageModelV4Prompt = [
      { role: "user", content: [file] },
      {
        role: "assistant",
        content: [
          {
            type: "tool-call",
            toolCallId: "c1",
            toolName: "get",
            input: { data: { type: "url", url: "https://a.example" } },
          },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "get",
            output: { type: "content", value: [file] },
          },
        ],
      },
    ];

    expect(shown(prompt)).toEqual(prompt);
  });

  it("keeps a URL in the JSON of an output as a text", () => {
    const value = { data: { type: "url", url: "https://a.example" } };
    const found: LanguageModelV4Message = {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "get",
          output: { type: "json", value },
        },
      ],
    };

    expect(shown([found])).toEqual([found]);
  });

  it("is a text where a view shows a part of its JSON", () => {
    const whole = sdkCodec.decode(result("c1", { type: "json", value: { lines: [1, 2] } }));
    if (whole.role !== "toolResult") throw new TypeError("the sample is a result");
    const content = whole.content.map((one) => ({ ...one, text: '{"lines":[1' }));

    expect(sdkMessage({ ...whole, content })).toMatchObject({
      content: [{ output: { type: "text", value: '{"lines":[1' } }],
    });
  });

  it("is the text of a context tool where the app has made its answer JSON", () => {
    const value = { text: "f1 is pinned.", isError: false, details };

    expect(sdkCodec.decode(result("c1", { type: "json", value }))).toMatchObject({
      content: [{ type: "text", text: "f1 is pinned." }],
      isError: false,
      details,
    });
  });

  it("is not broken by a text that only looks like a file behind a URL", () => {
    const value = { data: { type: "url", url: "no url" } };
    const found: LanguageModelV4Message = {
      role: "assistant",
      content: [
        {
          type: "tool-result",
          toolCallId: "p1",
          toolName: "web_search",
          output: { type: "json", value },
        },
      ],
    };

    expect(shown([found])).toEqual([found]);
  });

  it("loses only the marks for the cache among its options", () => {
    const providerOptions = {
      anthropic: { cacheControl: { type: "ephemeral" }, effort: "low" },
      bedrock: { cachePoint: { type: "default" } },
    };

    const [answer] = shown([
      {
        role: "assistant",
        content: [{ type: "text", text: "a", providerOptions }],
        providerOptions,
      },
    ]);

    const kept = { anthropic: { effort: "low" } };
    expect(answer).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "a", providerOptions: kept }],
      providerOptions: kept,
    });
  });

  it("is recognised without its options, and an answer without its thinking", () => {
    const said = { type: "text" as const, text: "an answer" };
    const thought = { type: "reasoning" as const, text: "a thought", providerOptions: signed };

    const plain = keyOf({ role: "assistant", content: [said] });

    expect(keyOf({ role: "assistant", content: [thought, said] })).toEqual(plain);
    expect(
      keyOf({
        role: "assistant",
        content: [{ ...said, providerOptions: marked }],
        providerOptions: marked,
      }),
    ).toEqual(plain);
    expect(keyOf({ role: "assistant", content: [thought] })).not.toEqual(plain);
    expect(keyOf({ role: "user", content: [said] })).not.toEqual(plain);
  });

  it("reports the tokens of its prompt to core", () => {
    const usage = {
      inputTokens: 100,
      inputTokenDetails: { noCacheTokens: 10, cacheReadTokens: 70, cacheWriteTokens: 20 },
    };
    const [answer] = sdkMessages([{ role: "assistant", content: [], usage } as { role: string }]);

    expect(answer && sdkCodec.decode(answer)).toMatchObject({
      usage: { input: 10, cacheRead: 70, cacheWrite: 20 },
    });
  });
});

it("results that follow one another are one message, as providers expect them", () => {
  const results = ["c1", "c2"].map((id) => result(id, { type: "text", value: id }));

  expect(promptOf(results)).toEqual([
    { role: "tool", content: results.flatMap(({ content }) => content) },
  ]);
});
