import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { toJson } from "@self-context-manager/core/host";
import {
  openAnthropicModel,
  openLoopbackModel,
  type Reply,
  type WireMessage,
  type WireRequest,
} from "@self-context-manager/evaluate/loopback";
import { isJsonObject, type JsonObject } from "@self-context-manager/objects";
import {
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  neutralMessage,
} from "@self-context-manager/testkit";
import assert from "node:assert/strict";

import { messagesRequest } from "../caching/neutral-anthropic.ts";
import type { OpenSdkModel } from "./scripted-sdk-model.ts";

/** Opens a model of the SDK's OpenAI provider, on a chat-completions server of this process. */
export const openOpenAiModel: OpenSdkModel = async (options) => {
  const requests: ModelRequest[] = [];
  const bodies: string[] = [];
  const server = await openLoopbackModel({
    script: (wire) => {
      const request = completionsRequest(wire);
      requests.push(request);
      bodies.push(wire.body.toString("utf8"));
      return replyOf(options.model(request), (text) => ({ type: "disconnect", text }));
    },
  });
  return {
    model: createOpenAI({ baseURL: server.url, apiKey: "none" }).chat("gpt-4o"),
    requests,
    bodies,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      assert.deepEqual(server.failures, []);
    },
  };
};

/** Opens a model of the SDK's Anthropic provider, on a server of this process that refuses what the real one refuses. */
export const openAnthropicSdkModel: OpenSdkModel = async (options) => {
  const requests: ModelRequest[] = [];
  const bodies: string[] = [];
  const server = await openAnthropicModel({
    thinking: options.thinking,
    script: (wire) => {
      const request = messagesRequest(wire);
      requests.push(request);
      bodies.push(JSON.stringify(wire.payload));
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
    bodies,
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

function argumentsOf(value: unknown): JsonObject {
  const json = toJson(value);
  return isJsonObject(json) ? json : {};
}

function said(value: unknown): string {
  return typeof value === "string" ? value : "";
}
