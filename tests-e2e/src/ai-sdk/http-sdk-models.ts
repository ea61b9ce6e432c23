import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { toJson } from "@self-context-manager/core/host";
import { isJsonObject, type JsonObject } from "@self-context-manager/objects";
import {
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  neutralMessage,
} from "@self-context-manager/testkit";
import assert from "node:assert/strict";

import { openAnthropicModel } from "../caching/anthropic-model.ts";
import type { AnthropicMessage, AnthropicRequest } from "../caching/anthropic-request.ts";
import { openLoopbackModel } from "../loopback-model.ts";
import type { Reply } from "../loopback-reply.ts";
import type { WireMessage, WireRequest } from "../wire-request.ts";
import type { OpenSdkModel } from "./scripted-sdk-model.ts";

/** Opens a model of the SDK's OpenAI provider, on a chat-completions server of this process. */
export const openOpenAiModel: OpenSdkModel = async (options) => {
  const requests: ModelRequest[] = [];
  const server = await openLoopbackModel({
    script: (wire) => {
      const request = completionsRequest(wire);
      requests.push(request);
      return replyOf(options.model(request), (text) => ({ type: "disconnect", text }));
    },
  });
  return {
    model: createOpenAI({ baseURL: server.url, apiKey: "none" }).chat("gpt-4o"),
    requests,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      assert.deepEqual(server.failures, []);
    },
  };
};

/** Opens a model of the SDK's Anthropic provider, on a server of this process that refuses what the real one refuses. */
export const openAnthropicSdkModel: OpenSdkModel = async (options) => {
  const requests: ModelRequest[] = [];
  const server = await openAnthropicModel({
    thinking: options.thinking,
    script: (wire) => {
      const request = messagesRequest(wire);
      requests.push(request);
      // This server has no answer that breaks off.
      return replyOf(options.model(request), (text) => ({
        type: "error",
        status: 400,
        message: `it broke off after ${text}`,
      }));
    },
  });
  const id = options.thinking === "bound" ? "claude-opus-5-5" : "claude-sonnet-4-5";
  return {
    model: createAnthropic({ baseURL: server.url, apiKey: "none" })(id),
    requests,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      assert.deepEqual(server.failures, []);
      assert.deepEqual(server.dropped, []);
    },
  };
};

function replyOf(reply: ModelReply, broken: (text: string) => Reply): Reply {
  const { text, calls, thinking, refuses, fails } = reply;
  if (refuses !== undefined) return { type: "error", status: 400, message: refuses };
  if (fails === true) return broken(text);
  const reasoning = thinking === undefined ? {} : { reasoning: thinking };
  if (calls.length === 0) return { type: "text", text, ...reasoning };
  return { type: "tool-calls", calls, ...reasoning, ...(text === "" ? {} : { text }) };
}

function completionsRequest({ messages, tools }: WireRequest): ModelRequest {
  const begin = messages.findIndex(({ role }) => role !== "system");
  return {
    instruction: messages
      .slice(0, begin)
      .map(({ text }) => text)
      .join("\n\n"),
    tools: tools.map(({ name }) => name),
    messages: messages.slice(begin).map(completionsMessage),
  };
}

function completionsMessage({
  role,
  text,
  blocks,
  toolCalls,
  toolCallId,
}: WireMessage): ModelMessage {
  return neutralMessage({
    role: role === "assistant" || role === "tool" ? role : "user",
    text: role === "tool" ? withoutError(text) : text,
    images: blocks.flatMap((block) =>
      block.type === "image" ? [block.url.replace(/^data:[^,]*,/u, "")] : [],
    ),
    toolCalls: toolCalls.map((call) => ({
      ...call,
      arguments: argumentsOf(JSON.parse(call.arguments)),
    })),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  });
}

/** The provider has no other mark for the text of a failed call than this object. */
function withoutError(text: string): string {
  const [, error] = /^\{"error":("[^]*")\}$/u.exec(text) ?? [];
  return error === undefined ? text : said(JSON.parse(error));
}

function messagesRequest({ systemBlocks, messages, payload }: AnthropicRequest): ModelRequest {
  const tools = Array.isArray(payload["tools"]) ? payload["tools"].map((tool) => toJson(tool)) : [];
  return {
    instruction: systemBlocks.map(({ text }) => said(text)).join("\n\n"),
    tools: tools.filter(isJsonObject).map(({ name }) => said(name)),
    messages: messages.flatMap(anthropicMessages),
  };
}

/** The provider joins results and consecutive messages of the user. Each of them is a message here. */
function anthropicMessages({ role, blocks }: AnthropicMessage): readonly ModelMessage[] {
  const json = blocks.map((block) => toJson(block)).filter(isJsonObject);
  if (role === "assistant") {
    const calls = json.filter(({ type }) => type === "tool_use");
    const thinking = json.map((block) => said(block["thinking"])).find((one) => one !== "");
    return [
      neutralMessage({
        role,
        text: textIn(json),
        toolCalls: calls.map(({ id, name, input }) => ({
          id: said(id),
          name: said(name),
          arguments: argumentsOf(input),
        })),
        ...(thinking === undefined ? {} : { thinking }),
      }),
    ];
  }
  return json.flatMap((block, index) => {
    const { type, content, tool_use_id: id } = block;
    if (type === "tool_result") {
      const inner = Array.isArray(content) ? content.filter(isJsonObject) : [];
      const text = typeof content === "string" ? content : textIn(inner);
      return [
        neutralMessage({ role: "tool", text, images: imagesIn(inner), toolCallId: said(id) }),
      ];
    }
    if (type !== "text") return [];
    const next = json.slice(index + 1);
    const end = next.findIndex((one) => one["type"] !== "image");
    const images = imagesIn(end === -1 ? next : next.slice(0, end));
    return [neutralMessage({ role: "user", text: textIn([block]), images })];
  });
}

function textIn(blocks: readonly JsonObject[]): string {
  return blocks.flatMap(({ type, text }) => (type === "text" ? [said(text)] : [])).join("\n");
}

function imagesIn(blocks: readonly JsonObject[]): readonly string[] {
  return blocks.flatMap(({ type, source }) =>
    type === "image" && isJsonObject(source) ? [said(source["data"])] : [],
  );
}

function argumentsOf(value: unknown): JsonObject {
  const json = toJson(value);
  return isJsonObject(json) ? json : {};
}

function said(value: unknown): string {
  return typeof value === "string" ? value : "";
}
