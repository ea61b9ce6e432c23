import { defined } from "@self-context-manager/objects";
import type { ReplacingMessage } from "../chat/chat-body.ts";
import type { Block } from "../chat/message.ts";
import { isSignedThinking } from "../chat/signed-thinking.ts";
import { missingMessages } from "../lines/notices.ts";
import type { ViewMessage } from "../view/layout.ts";

/** The result that the model gets for a tool call without one, because every call needs a result. */
export const noResult: string = missingMessages.result.write();

/**
 * Returns a content without empty text blocks, because providers refuse them. An empty text with a signature stays:
 * Gemini attaches its thinking to such texts and needs it back. The host leaves it out for other providers.
 */
export function withoutEmpty(content: string | readonly Block[]): string | readonly Block[] {
  if (typeof content === "string") return content.trim() === "" ? "" : content;
  return content.filter((block) => !isEmptyText(block));
}

/**
 * Returns what a view shows of an answer: without empty texts, and without signed thinking at its end, because providers
 * refuse an answer that ends with it.
 */
export function shownAnswer(blocks: readonly Block[]): readonly Block[] {
  const shown = blocks.filter((block) => !isEmptyText(block));
  return shown.slice(0, shown.findLastIndex((block) => !isSignedThinking(block)) + 1);
}

function isEmptyText(block: Block): boolean {
  return (
    block.type === "text" &&
    (typeof block["text"] !== "string" || block["text"].trim() === "") &&
    (block["textSignature"] ?? "") === ""
  );
}

/** Returns a message that replaces earlier ones. Its fields have one order, whatever order a store has them in. */
export function replacingMessage(message: ReplacingMessage["message"]): ViewMessage {
  if (message.role === "opaque") return { role: "opaque", kind: message.kind, raw: message.raw };
  const { role, content, meta, timestamp = null } = message;
  const fields = { ...defined({ meta }), ...timeOf(timestamp) };
  return role === "user" ? { role, content, ...fields } : { role, content, ...fields };
}

/** Returns a recorded time as the field of a message. */
export function timeOf(timestamp: number | null): { readonly timestamp?: number } {
  return timestamp === null ? {} : { timestamp };
}
