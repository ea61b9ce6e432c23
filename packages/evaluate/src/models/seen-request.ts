import { isJsonObject, type JsonObject } from "@self-context-manager/objects";

import type { AnthropicMessage, AnthropicRequest } from "../loopback/anthropic-request.ts";
import type { WireMessage, WireRequest } from "../loopback/wire-request.ts";

/** A call of a tool as a request shows it. */
interface SeenCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** One message of a request. A message of Anthropic's with several results is several messages here. */
export interface SeenMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  readonly calls: readonly SeenCall[];
  /** Of a result: the id of its call. */
  readonly callId?: string;
  /** Of a result: whether the request says that the call failed. */
  readonly isError?: boolean;
}

/** A tool that a request offers, with the names of its parameters. */
export interface SeenTool {
  readonly name: string;
  readonly parameters: readonly string[];
}

/** A request as a model for tests reads it, in the same form for each API. */
export interface SeenRequest {
  readonly messages: readonly SeenMessage[];
  readonly tools: readonly SeenTool[];
  /** Estimated tokens of the whole prompt. */
  readonly tokens: number;
}

/** Returns a request of Anthropic's Messages API as a model for tests reads it. */
export function seenAnthropic({
  payload,
  systemBlocks,
  messages,
  blocks,
}: AnthropicRequest): SeenRequest {
  const system = systemBlocks.map(({ text }) => said(text)).join("\n");
  const tools = objectsIn(payload["tools"]);
  return {
    messages: [{ role: "system", text: system, calls: [] }, ...messages.flatMap(anthropicMessages)],
    tools: tools.map(({ name, input_schema: schema }) => seenTool(name, schema)),
    tokens: blocks.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** Returns a request of chat completions as a model for tests reads it. */
export function seenCompletions({ messages, tools }: WireRequest, tokens: number): SeenRequest {
  return {
    messages: messages.map(completionMessage),
    tools: tools.map(({ name, raw }) => {
      const target = isJsonObject(raw) ? raw["function"] : undefined;
      return seenTool(name, isJsonObject(target) ? target["parameters"] : undefined);
    }),
    tokens,
  };
}

/** Returns the texts in the arguments of a call, without the signs of JSON. */
export function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textIn).join("\n");
  if (isJsonObject(value)) return Object.values(value).map(textIn).join("\n");
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function anthropicMessages({ role, blocks }: AnthropicMessage): readonly SeenMessage[] {
  if (role === "assistant") {
    const calls = blocks.filter(({ type }) => type === "tool_use");
    const text = blocks.flatMap(({ type, text }) => (type === "text" ? [said(text)] : []));
    return [
      {
        role,
        text: text.join("\n"),
        calls: calls.map(({ id, name, input }) => ({
          id: said(id),
          name: said(name),
          arguments: isJsonObject(input) ? input : {},
        })),
      },
    ];
  }
  return blocks.flatMap((block): readonly SeenMessage[] => {
    const { type, content } = block;
    if (type === "text")
      return [
        { role: role === "system" ? "system" : "user", text: said(block["text"]), calls: [] },
      ];
    if (type !== "tool_result") return [];
    const inner = objectsIn(content).map(({ text }) => said(text));
    return [
      {
        role: "tool",
        text: typeof content === "string" ? content : inner.join("\n"),
        calls: [],
        callId: said(block["tool_use_id"]),
        isError: block["is_error"] === true,
      },
    ];
  });
}

function completionMessage({ role, text, toolCalls, toolCallId }: WireMessage): SeenMessage {
  const roles = { assistant: "assistant", tool: "tool", user: "user" } as const;
  return {
    role: role === "assistant" || role === "tool" || role === "user" ? roles[role] : "system",
    text,
    calls: toolCalls.map((call) => ({
      id: call.id,
      name: call.name,
      arguments: argumentsIn(call.arguments),
    })),
    ...(toolCallId === undefined ? {} : { callId: toolCallId }),
  };
}

function argumentsIn(text: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    // A host that cuts the arguments of earlier calls sends no JSON; the cut text is what the model sees.
    return { text };
  }
}

function seenTool(name: unknown, schema: unknown): SeenTool {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  return {
    name: said(name),
    parameters: isJsonObject(properties) ? Object.keys(properties) : [],
  };
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function said(value: unknown): string {
  return typeof value === "string" ? value : "";
}
