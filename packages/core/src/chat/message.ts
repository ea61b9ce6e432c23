import type { JsonObject, JsonValue } from "@self-context-manager/objects";

/** One part of a message, with all fields that the provider's interface gave it. */
export type Block = { readonly type: string; readonly [field: string]: JsonValue | undefined };

export type TextBlock = Block & { readonly type: "text"; readonly text: string };
export type ImageBlock = Block & {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
};
export type ToolCallBlock = Block & {
  readonly type: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
};

/** A message from the user. */
export type UserMessage = {
  readonly role: "user";
  readonly content: string | readonly Block[];
  readonly timestamp?: number;
};

/**
 * A message from the model. `meta` contains all fields except the blocks: api, provider, model, usage, stopReason and
 * others.
 */
export type AssistantMessage = {
  readonly role: "assistant";
  readonly content: readonly Block[];
  readonly meta: JsonObject;
  readonly timestamp?: number;
};

/** The result of a tool call. */
export type ToolResultMessage = {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly Block[];
  readonly isError: boolean;
  readonly details?: JsonValue;
  readonly timestamp?: number;
};

/**
 * A message of a kind that only its host understands. It is stored and sent back unchanged, at its place (decision
 * D33).
 */
export type OpaqueMessage = {
  readonly role: "opaque";
  readonly kind: string;
  readonly raw: JsonValue;
  readonly timestamp?: number;
};

/**
 * A host's summary that replaces earlier messages in the host's list. A summary that the context manager gave the host
 * (`isFromManager`) does not change the view. A summary that the user asked for replaces the earlier messages in the
 * view too (decision D53).
 */
export type SummaryMessage = {
  readonly role: "summary";
  readonly kind: string;
  readonly raw: JsonValue;
  readonly isFromManager: boolean;
  readonly timestamp?: number;
};

/** A message as harness adapters pass it to the session. */
export type Message =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | OpaqueMessage
  | SummaryMessage;

/** Whether a block is text. */
export function isText(block: Block): block is TextBlock {
  return block.type === "text" && typeof block["text"] === "string";
}

/** Whether a block is an image. */
export function isImage(block: Block): block is ImageBlock {
  return block.type === "image" && typeof block["data"] === "string";
}

/** Whether a block is a tool call. */
export function isToolCall(block: Block): block is ToolCallBlock {
  return (
    block.type === "toolCall" &&
    typeof block["id"] === "string" &&
    typeof block["name"] === "string"
  );
}

/** Returns the text of a message's content: its text blocks, joined by line breaks. */
export function textOf(content: string | readonly Block[]): string {
  if (typeof content === "string") return content;
  return content
    .filter(isText)
    .map((block) => block.text)
    .join("\n");
}
