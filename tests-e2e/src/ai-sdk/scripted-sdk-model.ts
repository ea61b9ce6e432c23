import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "@self-context-manager/objects";
import { toJson } from "@self-context-manager/core/host";
import {
  type HostOptions,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  neutralMessage,
} from "@self-context-manager/testkit";
import { APICallError, type LanguageModel } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";

/** A model that answers by a script, and the requests that it got. */
export interface SdkModel extends AsyncDisposable {
  readonly model: Exclude<LanguageModel, string>;
  readonly requests: readonly ModelRequest[];
  /** The requests as the provider got them. */
  readonly bodies: readonly string[];
}

/** Opens a model for a host. */
export type OpenSdkModel = (options: Pick<HostOptions, "model" | "thinking">) => Promise<SdkModel>;

/** Opens a mock model of the SDK. */
export const openScriptedModel: OpenSdkModel = async (options) => {
  const requests: ModelRequest[] = [];
  const bodies: string[] = [];

  function answer(call: LanguageModelV4CallOptions): ModelReply {
    const request = neutralRequest(call);
    requests.push(request);
    bodies.push(JSON.stringify(call.prompt));
    const reply = options.model(request);
    if (reply.refuses !== undefined) throw refusal(reply.refuses);
    return reply;
  }

  const model = new MockLanguageModelV4({
    // A model that is known to bind its thinking, and one that is not known.
    ...(options.thinking === "bound"
      ? { provider: "anthropic.messages", modelId: "claude-opus-5-5" }
      : { provider: "scripted.chat", modelId: "scripted" }),
    doGenerate: async (call) => {
      const reply = answer(call);
      if (reply.fails === true) throw refusal("it broke off");
      return await Promise.resolve({
        content: contentOf(reply),
        finishReason: finishReason(reply),
        usage: usageOf(reply),
        warnings: [],
        request: { body: call.prompt },
      });
    },
    doStream: async (call) =>
      await Promise.resolve({
        request: { body: call.prompt },
        stream: simulateReadableStream({
          chunks: streamParts(answer(call)),
          initialDelayInMs: null,
          chunkDelayInMs: null,
        }),
      }),
  });
  return await Promise.resolve({ model, requests, bodies, [Symbol.asyncDispose]: async () => {} });
};

function refusal(message: string): APICallError {
  return new APICallError({
    message,
    url: "",
    requestBodyValues: {},
    statusCode: 400,
    isRetryable: false,
  });
}

function contentOf({ text, calls, thinking }: ModelReply): LanguageModelV4Content[] {
  const providerMetadata = { anthropic: { signature: `signed ${thinking}` } };
  return [
    ...(thinking === undefined
      ? []
      : [{ type: "reasoning" as const, text: thinking, providerMetadata }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls.map(({ id, name, arguments: args }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: name,
      input: JSON.stringify(args),
    })),
  ];
}

/** Returns a scripted answer as the parts of a stream. */
export function streamParts(reply: ModelReply): LanguageModelV4StreamPart[] {
  const parts = contentOf(reply).flatMap((part, index): LanguageModelV4StreamPart[] => {
    const id = String(index);
    if (part.type !== "text" && part.type !== "reasoning")
      return part.type === "tool-call" ? [part] : [];
    const { type, text, providerMetadata } = part;
    const metadata = providerMetadata === undefined ? {} : { providerMetadata };
    return [
      { type: `${type}-start`, id },
      { type: `${type}-delta`, id, delta: text },
      { type: `${type}-end`, id, ...metadata },
    ];
  });
  const end: LanguageModelV4StreamPart =
    reply.fails === true
      ? { type: "error", error: refusal("it broke off") }
      : { type: "finish", finishReason: finishReason(reply), usage: usageOf(reply) };
  return [{ type: "stream-start", warnings: [] }, ...parts, end];
}

function finishReason({ calls }: ModelReply): { unified: "tool-calls" | "stop"; raw: undefined } {
  return { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined };
}

function usageOf({ tokens }: ModelReply): LanguageModelV4Usage {
  return {
    inputTokens: { total: tokens, noCache: tokens, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  };
}

/** Returns a request in the neutral form. */
export function neutralRequest({ prompt, tools = [] }: LanguageModelV4CallOptions): ModelRequest {
  const begin = prompt.findIndex(({ role }) => role !== "system");
  const head = prompt.slice(0, begin);
  return {
    instruction: head.map(({ content }) => said(content)).join("\n\n"),
    tools: tools.map(({ name }) => name),
    messages: prompt.slice(begin).flatMap(neutralMessages),
  };
}

function neutralMessages({ role, content }: LanguageModelV4Message): readonly ModelMessage[] {
  if (typeof content === "string") return [neutralMessage({ role: "user", text: content })];
  const parts = content.map((part) => toJson(part)).filter(isJsonObject);
  if (role !== "tool") return [ofParts(role === "assistant" ? role : "user", parts)];
  return parts.map((part) => {
    const output = isJsonObject(part["output"]) ? part["output"] : {};
    const { type, value = null } = output;
    const list =
      type === "content" && Array.isArray(value) ? value.filter(isJsonObject) : undefined;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return ofParts("tool", list ?? [{ type: "text", text }], said(part["toolCallId"]));
  });
}

/** Options for the provider are no part of the text that it reads. */
function ofParts(
  role: ModelMessage["role"],
  parts: readonly JsonObject[],
  toolCallId?: string,
): ModelMessage {
  const thinking = parts.find(({ type }) => type === "reasoning")?.["text"];
  return neutralMessage({
    role,
    text: parts.flatMap(({ type, text }) => (type === "text" ? [said(text)] : [])).join("\n"),
    images: parts.flatMap(({ type, data }) => (type === "file" ? [dataIn(data)] : [])),
    toolCalls: parts.flatMap(({ type, toolCallId: id, toolName, input = null }) =>
      type === "tool-call"
        ? [{ id: said(id), name: said(toolName), arguments: isJsonObject(input) ? input : {} }]
        : [],
    ),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(typeof thinking === "string" ? { thinking } : {}),
  });
}

function dataIn(data: unknown): string {
  const json = toJson(data);
  return isJsonObject(json) && typeof json["data"] === "string" ? json["data"] : "";
}

function said(value: unknown): string {
  return typeof value === "string" ? value : "";
}
