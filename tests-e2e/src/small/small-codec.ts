import {
  type Block,
  isThinking,
  isToolCall,
  type Message,
  textOf,
  type ThinkingBlock,
  type ViewMessage,
} from "@self-context-manager/core";
import { fieldsOf, isJsonObject, type MessageCodec, toJson } from "@self-context-manager/core/host";

import type { SmallMessage } from "./small-messages.ts";

/** Core's roles for those of the harness. */
const roles = { user: "user", model: "assistant", tool: "toolResult" } as const;

/** The kind of a value that is no message of the harness. */
const unreadable = "unreadable";

export const smallCodec: MessageCodec<SmallMessage> = {
  identify: (message) => {
    if (!isSmallMessage(message)) return { role: unreadable };
    return {
      role: roles[message.role],
      ...(message.role === "tool" ? { callId: message.callId } : {}),
    };
  },
  decode(message): Message {
    if (!isSmallMessage(message)) return { role: "opaque", kind: unreadable, raw: toJson(message) };
    const content = textBlocks(message.text);
    switch (message.role) {
      case "user":
        return { role: "user", content };
      case "model": {
        const { calls, reasoning, error } = message;
        return {
          role: "assistant",
          content: [
            ...(reasoning === undefined ? [] : [thinkingBlock(reasoning)]),
            ...content,
            ...calls.map(({ id, name, args }) => ({ type: "toolCall", id, name, arguments: args })),
          ],
          isFailed: error !== undefined,
        };
      }
      case "tool": {
        const { callId: toolCallId, tool: toolName, failed: isError, extra } = message;
        const result = { role: "toolResult", toolCallId, toolName, content, isError } as const;
        return extra === undefined ? result : { ...result, details: extra };
      }
    }
  },
};

/** Converts a message of a view to the harness's form. */
export function encodeSmall(message: ViewMessage): SmallMessage {
  if (message.role === "opaque") return { role: "user", text: JSON.stringify(message.raw) };
  const text = textOf(message.content);
  switch (message.role) {
    case "user":
      return { role: "user", text };
    case "assistant": {
      const calls = message.content.filter(isToolCall);
      const thought = message.content.find(isThinking);
      const reasoning = thought === undefined ? {} : { reasoning: reasoningOf(thought) };
      return {
        role: "model",
        text,
        calls: calls.map(({ id, name, arguments: args }) => ({ id, name, args: fieldsOf(args) })),
        ...reasoning,
      };
    }
    case "toolResult": {
      const { toolCallId: callId, toolName: tool, isError: failed } = message;
      return { role: "tool", callId, tool, text, failed };
    }
  }
}

function textBlocks(text: string): readonly Block[] {
  return text === "" ? [] : [{ type: "text", text }];
}

type Reasoning = NonNullable<Extract<SmallMessage, { role: "model" }>["reasoning"]>;

function thinkingBlock({ text, signature }: Reasoning): Block {
  return { type: "thinking", thinking: text, thinkingSignature: signature };
}

function reasoningOf({ thinking: text, thinkingSignature = "" }: ThinkingBlock): Reasoning {
  return { text, signature: thinkingSignature };
}

/** Whether a value is a message of the harness. A codec must read any value. */
function isSmallMessage(value: unknown): value is SmallMessage {
  if (!isJsonObject(value) || typeof value["text"] !== "string") return false;
  const { role, calls, reasoning = { text: "", signature: "" }, callId, tool, failed } = value;
  if (role === "tool")
    return typeof callId === "string" && typeof tool === "string" && typeof failed === "boolean";
  if (role !== "model") return role === "user";
  const isSigned = isJsonObject(reasoning) && areTexts(reasoning["text"], reasoning["signature"]);
  return isSigned && Array.isArray(calls) && calls.every(isCall);
}

function isCall(value: unknown): boolean {
  return isJsonObject(value) && areTexts(value["id"], value["name"]) && isJsonObject(value["args"]);
}

function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}
