import type { Message, ViewMessage } from "@self-context-manager/core";
import {
  areBlocks,
  blocksIn,
  canonicalJson,
  defined,
  jsonObject,
  type MessageCodec,
  type MessageIdentity,
  sha256,
  timeIn,
  toJson,
} from "@self-context-manager/core/host";

import { piUsage } from "./pi-usage.ts";
import { isOwnSummary } from "./own-summary.ts";
import { type Fields, isFields, type PiMessage } from "./pi-api.ts";

/** Reads Pi's messages, of every supported release. A message that it cannot read becomes an opaque message. */
export const piCodec: MessageCodec<unknown> = {
  fileRendering: {
    // The notices of Pi's own `read` below lines that are not the whole rest of the file.
    notice:
      /\n\n\[(?:\d+ more lines in file|Showing lines \d+-\d+ of \d+(?: \([\d.]+ ?[A-Z]+ limit\))?)\. Use offset=\d+ to continue\.\]$/u,
  },
  marksSummaries: true,
  identify(raw): MessageIdentity {
    const message = isFields(raw) ? raw : {};
    const { role, toolCallId } = message;
    if (role === "custom") return { role, key: customKey(message) };
    return {
      role: typeof role === "string" ? role : "",
      ...timeIn(message),
      ...(typeof toolCallId === "string" ? { callId: toolCallId } : {}),
    };
  },
  decode(raw): Message {
    const message = isFields(raw) ? raw : {};
    switch (message["role"]) {
      case "user":
        return userMessage(message) ?? opaqueMessage(raw, message);
      case "assistant":
        return assistantMessage(message) ?? opaqueMessage(raw, message);
      case "toolResult":
        return toolResultMessage(message) ?? opaqueMessage(raw, message);
      case "compactionSummary":
        return {
          role: "summary",
          kind: "compactionSummary",
          raw: toJson(raw),
          isFromManager: isOwnSummary(message["summary"]),
          ...timeIn(message),
        };
      default:
        return opaqueMessage(raw, message);
    }
  },
};

/**
 * The key of an extension's message, made from its content: Pi 0.73.1 gives the message another time when the session
 * is loaded again than when it was sent.
 */
function customKey({ customType, content }: Fields): string {
  const kind = typeof customType === "string" ? customType : "";
  return `custom ${kind} ${sha256(canonicalJson(toJson(content)))}`;
}

/** Converts a message of the view to Pi's form; an opaque message is returned unchanged. */
export function piMessage(message: ViewMessage): PiMessage {
  switch (message.role) {
    case "user":
      return {
        ...message.meta,
        role: "user",
        content: message.content,
        timestamp: message.timestamp ?? 0,
      };
    case "assistant":
      return {
        ...message.meta,
        role: "assistant",
        content: message.content,
        timestamp: message.timestamp ?? 0,
      };
    case "toolResult":
      return {
        role: "toolResult",
        toolCallId: message.toolCallId,
        toolName: message.toolName,
        content: message.content,
        isError: message.isError,
        timestamp: message.timestamp ?? 0,
      };
    case "opaque": {
      const raw = isFields(message.raw) ? message.raw : {};
      return { ...raw, role: message.kind };
    }
  }
}

function userMessage(message: Fields): Message | undefined {
  const { content } = message;
  if (typeof content === "string") return { role: "user", content, ...timeIn(message) };
  return areBlocks(content) ? { role: "user", content, ...timeIn(message) } : undefined;
}

function assistantMessage(message: Fields): Message | undefined {
  const { role: _role, content, timestamp: _timestamp, ...meta } = message;
  const { stopReason } = meta;
  const usage = piUsage(meta["usage"]);
  const blocks = blocksIn(content);
  if (blocks === undefined) return undefined;
  return {
    role: "assistant",
    content: blocks,
    ...(stopReason === "error" || stopReason === "aborted" ? { isFailed: true } : {}),
    ...defined({ usage }),
    meta: jsonObject(meta),
    ...timeIn(message),
  };
}

function toolResultMessage(message: Fields): Message | undefined {
  const { toolCallId, toolName, content, isError, details } = message;
  const blocks = blocksIn(content);
  if (typeof toolCallId !== "string" || blocks === undefined) return undefined;
  return {
    role: "toolResult",
    toolCallId,
    toolName: typeof toolName === "string" ? toolName : "",
    content: blocks,
    isError: isError === true,
    ...(details === undefined ? {} : { details: toJson(details) }),
    ...timeIn(message),
  };
}

function opaqueMessage(raw: unknown, message: Fields): Message {
  const { role } = message;
  return {
    role: "opaque",
    kind: typeof role === "string" ? role : "",
    raw: toJson(raw),
    ...timeIn(message),
  };
}
