import type { Message } from "../chat/message.ts";
import type { MessageCodec } from "./message-codec.ts";

/**
 * The codec of an agent that keeps its messages in core's own form, `Message`. It translates nothing. Messages are
 * recognised by their time, and results by their call. Messages without a time are recognised by their content: the same
 * text twice is two messages as long as both are in the list.
 */
export const neutralCodec: MessageCodec<Message> = {
  identify: (message) => ({
    role: message.role === "opaque" || message.role === "summary" ? message.kind : message.role,
    ...(message.timestamp === undefined ? {} : { timestamp: message.timestamp }),
    ...(message.role === "toolResult" ? { callId: message.toolCallId } : {}),
  }),
  decode: (message) => message,
};
