import type { JsonObject, JsonValue } from "@self-context-manager/objects";

/** One part of a message as the provider's interface gives it; whatever it carries is kept. */
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

/** What a person said. */
export type UserMessage = {
  readonly role: "user";
  readonly content: string | readonly Block[];
  readonly timestamp?: number;
};

/** What the model answered; `meta` is everything beside the blocks: api, provider, model, usage, stopReason … */
export type AssistantMessage = {
  readonly role: "assistant";
  readonly content: readonly Block[];
  readonly meta: JsonObject;
  readonly timestamp?: number;
};

/** What a tool returned. */
export type ToolResultMessage = {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly Block[];
  readonly isError: boolean;
  readonly details?: JsonValue;
  readonly timestamp?: number;
};

/** A message of a kind that only its host knows; kept as it is and given back in its place (decision D33). */
export type OpaqueMessage = {
  readonly role: "opaque";
  readonly kind: string;
  readonly raw: JsonValue;
  readonly timestamp?: number;
};

/**
 * A host's summary in place of earlier messages. One from the context manager (`isFromManager`) leaves the view as it is; one
 * that a user asked for stands for what it replaced (decision D53).
 */
export type SummaryMessage = {
  readonly role: "summary";
  readonly kind: string;
  readonly raw: JsonValue;
  readonly isFromManager: boolean;
  readonly timestamp?: number;
};

/** A message as harness adapters hand it over. */
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

/** Whether a block is a call of a tool. */
export function isToolCall(block: Block): block is ToolCallBlock {
  return (
    block.type === "toolCall" &&
    typeof block["id"] === "string" &&
    typeof block["name"] === "string"
  );
}

/** The text of a message's content: its text blocks, a line break between them. */
export function textOf(content: string | readonly Block[]): string {
  if (typeof content === "string") return content;
  return content
    .filter(isText)
    .map((block) => block.text)
    .join("\n");
}
