import { isJsonObject, type JsonObject, type JsonValue } from "@self-context-manager/objects";

/** Further fields of a block, as the host's provider gave them. They are stored and sent back unchanged. */
type HostFields = { readonly [field: string]: JsonValue | undefined };

/** A text. Providers refuse an empty one. */
export type TextBlock = HostFields & { readonly type: "text"; readonly text: string };

/** An image: `data` is base64, `mimeType` for example `image/png`. */
export type ImageBlock = HostFields & {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
};

/**
 * The model's thinking. With a signature, or `redacted` (the provider encrypted it), the provider accepts the block only
 * unchanged.
 */
export type ThinkingBlock = HostFields & {
  readonly type: "thinking";
  readonly thinking: string;
  /** The provider's signature of the thinking, or the encrypted thinking. */
  readonly thinkingSignature?: string;
  readonly redacted?: boolean;
};

/** A call of a tool. */
export type ToolCallBlock = HostFields & {
  readonly type: "toolCall";
  /** The provider's id, which the result of the call names. */
  readonly id: string;
  readonly name: string;
  /** The arguments as the model gave them. Models also give `null`, or a text; no field is then known. */
  readonly arguments: JsonValue;
  /** Encrypted thinking that some providers attach to a call. */
  readonly thoughtSignature?: string;
};

/**
 * A part of a message of any other type, for example a file. It is stored and sent back unchanged, at its place. Its
 * tokens are estimated from the data that it contains.
 */
export type OtherBlock = HostFields & { readonly type: string };

/** One part of a message: one of four types that core knows, or any other. */
export type Block = TextBlock | ImageBlock | ThinkingBlock | ToolCallBlock | OtherBlock;

/**
 * The tokens of a call's prompt, as the provider reported them. `input` counts those that were neither read from its cache
 * nor written to it.
 */
export type ReportedUsage = {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};

/** A message from the user. */
export type UserMessage = {
  readonly role: "user";
  /** Without any text or file the message is not shown. */
  readonly content: string | readonly Block[];
  /** Further fields of the host. The message gets them again in every view that shows its whole content. */
  readonly meta?: JsonObject;
  /** Milliseconds since 1970. */
  readonly timestamp?: number;
};

/** A message from the model. */
export type AssistantMessage = {
  readonly role: "assistant";
  readonly content: readonly Block[];
  /**
   * Whether the call failed or was aborted. The message is then stored and not shown, because it can be half an answer.
   * Default: false.
   */
  readonly isFailed?: boolean;
  /** The tokens of the prompt that was answered. By them the session corrects its estimates. Default: not reported. */
  readonly usage?: ReportedUsage;
  /** Further fields of the host, such as the model's name. The message gets them again in every view. Default: none. */
  readonly meta?: JsonObject;
  /** Milliseconds since 1970. */
  readonly timestamp?: number;
};

/** The result of a tool call. */
export type ToolResultMessage = {
  readonly role: "toolResult";
  /** The `id` of the call. */
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly Block[];
  /**
   * The whole text of the result, if `content` has only its beginning and then a mark of the host. It is stored, and the
   * lines in `content` are shown until others are activated. A text that begins otherwise is ignored.
   */
  readonly wholeText?: string;
  /** Whether the tool returned more text than is known: the host has cut it. The object of the call records that. */
  readonly isKeptInPart?: true;
  /** Whether the tool failed or did not run, as the host says it. A view says the same. */
  readonly isError: boolean;
  /** Whether it failed although the host does not say so: it passes a command as a success, with its exit code beside it. */
  readonly hasFailed?: true;
  /**
   * The host's record beside the text. For the result of a context tool it contains what `answerDetails` returned, so
   * that the effects are known from the host's history alone.
   */
  readonly details?: JsonValue;
  /** Milliseconds since 1970. */
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

/** Whether a block is the model's thinking. */
export function isThinking(block: Block): block is ThinkingBlock {
  return block.type === "thinking" && typeof block["thinking"] === "string";
}

/** Whether a block is a tool call. */
export function isToolCall(block: Block): block is ToolCallBlock {
  return (
    block.type === "toolCall" &&
    typeof block["id"] === "string" &&
    typeof block["name"] === "string"
  );
}

/** Returns the arguments of a tool call as an object, whatever the provider sent. */
export function argumentsOf(value: JsonValue | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  return value === undefined || value === null ? {} : { value };
}

/** Returns the text of a message's content: its text blocks, joined by line breaks. */
export function textOf(content: string | readonly Block[]): string {
  if (typeof content === "string") return content;
  return content
    .filter(isText)
    .map((block) => block.text)
    .join("\n");
}
