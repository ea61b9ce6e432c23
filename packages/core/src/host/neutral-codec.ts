import { defined, isJsonObject, toJson } from "@self-context-manager/objects";
import type { Message } from "../chat/message.ts";
import { areBlocks } from "./host-fields.ts";
import type { MessageCodec } from "./message-codec.ts";

/**
 * The codec of an agent that keeps its messages in core's own form, `Message`. It translates nothing. Messages are
 * recognised by their time, and results by their call. Messages without a time are recognised by their content: the same
 * text twice is two messages as long as both are in the list. A value that is no message is an opaque message.
 */
export const neutralCodec: MessageCodec<Message> = {
  identify: (message) => {
    if (!isMessage(message)) return { role: unreadable };
    return {
      role: message.role === "opaque" || message.role === "summary" ? message.kind : message.role,
      ...defined({ timestamp: message.timestamp }),
      ...(message.role === "toolResult" ? { callId: message.toolCallId } : {}),
    };
  },
  decode: (message) =>
    isMessage(message) ? message : { role: "opaque", kind: unreadable, raw: toJson(message) },
};

/** The kind of a value that is no message. */
const unreadable = "unreadable";

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
      return areBlocks(content);
    case "toolResult":
      return (
        areBlocks(content) &&
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
