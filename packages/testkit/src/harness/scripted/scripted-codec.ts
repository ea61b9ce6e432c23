import {
  type Block,
  isImage,
  isToolCall,
  type Message,
  textOf,
  type ViewMessage,
} from "@self-context-manager/core";
import type { MessageCodec } from "@self-context-manager/core/host";
import { defined, fieldsOf, isJsonObject, toJson } from "@self-context-manager/objects";

import { isScriptedMessage, type ScriptedMessage } from "./scripted-message.ts";

/** The beginning of each summary that the adapter wrote. It distinguishes them from other summaries. */
export const summaryMark = "[scripted adapter]";

/** Core's roles for the kinds of messages. Kinds that core does not know keep their names. */
const roles: Readonly<Record<ScriptedMessage["kind"], string>> = {
  human: "user",
  model: "assistant",
  output: "toolResult",
  note: "note",
  summary: "summary",
};

/** The kind of a value that is no message of the harness. */
const unreadable = "unreadable";

/** Reads the scripted harness's messages. */
export const scriptedCodec: MessageCodec<ScriptedMessage> = {
  identify: (message) =>
    isScriptedMessage(message)
      ? {
          role: roles[message.kind],
          key: message.id,
          timestamp: message.at,
          ...(message.kind === "output" ? { callId: message.callId } : {}),
        }
      : { role: unreadable },
  decode(message): Message {
    if (!isScriptedMessage(message))
      return { role: "opaque", kind: unreadable, raw: toJson(message) };
    const { text, at: timestamp } = message;
    switch (message.kind) {
      case "human":
        return { role: "user", content: blocks(text, message.pictures), timestamp };
      case "model":
        return {
          role: "assistant",
          content: [
            ...thinkingBlocks(message.thinking),
            ...blocks(text, []),
            ...message.calls.map((call) => ({ type: "toolCall", ...call })),
          ],
          ...(message.failed ? { isFailed: true } : {}),
          ...(message.tokens === undefined
            ? {}
            : { usage: { input: message.tokens, cacheRead: 0, cacheWrite: 0 } }),
          timestamp,
        };
      case "output":
        return {
          role: "toolResult",
          toolCallId: message.callId,
          toolName: message.tool,
          content: blocks(text, message.pictures),
          isError: message.failed,
          ...defined({ details: message.extra }),
          timestamp,
        };
      case "note":
        return { role: "opaque", kind: message.kind, raw: message, timestamp };
      case "summary":
        return {
          role: "summary",
          kind: message.kind,
          raw: message,
          isFromManager: text.startsWith(summaryMark),
          timestamp,
        };
    }
  },
};

/** Converts a message of the view to the scripted harness's form. */
export function scriptedMessage(message: ViewMessage): ScriptedMessage {
  const stamp = { id: "", at: message.timestamp ?? 0 };
  if (message.role === "opaque") {
    const raw = isJsonObject(message.raw) ? message.raw : {};
    return { ...stamp, kind: "note", text: typeof raw["text"] === "string" ? raw["text"] : "" };
  }
  const { content } = message;
  const text = textOf(content);
  const pictures =
    typeof content === "string" ? [] : content.filter(isImage).map(({ data }) => data);
  switch (message.role) {
    case "user":
      return { ...stamp, kind: "human", text, pictures };
    case "assistant": {
      const calls = message.content.filter(isToolCall).map(({ id, name, arguments: args }) => {
        return { id, name, arguments: fieldsOf(args) };
      });
      const thinking = message.content.find(({ type }) => type === "thinking")?.["thinking"];
      const thought = typeof thinking === "string" ? { thinking } : {};
      return { ...stamp, kind: "model", text, calls, failed: false, ...thought };
    }
    case "toolResult": {
      const { toolCallId: callId, toolName: tool, isError: failed } = message;
      return { ...stamp, kind: "output", callId, tool, text, pictures, failed };
    }
  }
}

function thinkingBlocks(thinking: string | undefined): readonly Block[] {
  if (thinking === undefined) return [];
  return [{ type: "thinking", thinking, thinkingSignature: `signed ${thinking}` }];
}

function blocks(text: string, pictures: readonly string[]): readonly Block[] {
  return [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...pictures.map((data) => ({ type: "image", data, mimeType: "image/png" })),
  ];
}
