import { isJsonObject, toJson } from "@self-context-manager/objects";
import type { Message } from "../chat/message.ts";
import { areBlocks, blocksIn } from "./host-fields.ts";
import type { MessageCodec } from "./message-codec.ts";

/**
 * The codec of an agent that keeps its messages in core's own form, `Message`. It translates nothing. Messages are
 * recognised by their time, and results by their call. Messages without a time are recognised by their content: the same
 * text twice is two messages as long as both are in the list. An answer or a result whose content is a text, as agents
 * without blocks have it, has one block. A value that is no message is an opaque message.
 */
export const neutralCodec: MessageCodec<Message> = {
  identify: (message) => {
    if (!isMessage(message)) return { role: unreadable };
    const { timestamp } = message;
    // Written out, because it runs over all messages of each request.
    if (message.role === "toolResult") {
      const { role, toolCallId: callId } = message;
      return timestamp === undefined ? { role, callId } : { role, timestamp, callId };
    }
    const role =
      message.role === "opaque" || message.role === "summary" ? message.kind : message.role;
    return timestamp === undefined ? { role } : { role, timestamp };
  },
  decode: (message) =>
    isMessage(message)
      ? withBlocks(message)
      : { role: "opaque", kind: unreadable, raw: toJson(message) },
};

/** The kind of a value that is no message. */
const unreadable = "unreadable";

function withBlocks(message: Message): Message {
  if (message.role !== "assistant" && message.role !== "toolResult") return message;
  const { content } = message;
  return areBlocks(content) ? message : { ...message, content: blocksIn(content) ?? [] };
}

/** Callers without types can pass any value. */
function isMessage(value: unknown): value is Message {
  if (!isJsonObject(value)) return false;
  const { role, content, toolCallId, toolName, isError, kind, raw, meta, timestamp } = value;
  if (meta !== undefined && !isJsonObject(meta)) return false;
  if (timestamp !== undefined && !Number.isFinite(timestamp)) return false;
  switch (role) {
    case "user":
      return typeof content === "string" || areBlocks(content);
    case "assistant":
      return blocksIn(content) !== undefined;
    case "toolResult":
      return (
        blocksIn(content) !== undefined &&
        typeof toolCallId === "string" &&
        typeof toolName === "string" &&
        typeof isError === "boolean"
      );
    case "opaque":
    case "summary":
      return typeof kind === "string" && raw !== undefined;
    default:
      return false;
  }
}
