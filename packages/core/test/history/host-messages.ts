import type { Message } from "../../src/chat/message.ts";

/** A time after that of every scripted message. */
export const late = 1_900_000_000_000;

/** A message of the user. */
export function prompt(content: string, timestamp: number = late): Message {
  return { role: "user", content, timestamp };
}

/** A whole answer of the model. */
export function answer(text: string, timestamp: number): Message {
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    meta: { stopReason: "stop" },
    timestamp,
  };
}

/** A summary that the context manager gave to the host. */
export function ownSummary(timestamp: number, raw = "a summary"): Message {
  return { role: "summary", kind: "summary", raw, isFromManager: true, timestamp };
}

/** A summary that the user requested from the host. */
export function userSummary(raw: string, timestamp: number): Message {
  return { role: "summary", kind: "compactionSummary", raw, isFromManager: false, timestamp };
}
