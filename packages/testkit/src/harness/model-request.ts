import type { JsonObject } from "@self-context-manager/objects";

/** A tool call in a form that every harness's own can be put into. */
export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** A message as it reached the model. */
export interface ModelMessage {
  readonly role: "user" | "assistant" | "tool";
  /** The text blocks, joined by line feeds. */
  readonly text: string;
  /** The images' bytes, in base64. */
  readonly images: readonly string[];
  readonly toolCalls: readonly ModelToolCall[];
  /** Of a tool's result, the call that it answers. */
  readonly toolCallId?: string;
  /** The whole message as it was sent; what names the working folder is made the same for every run. */
  readonly bytes: string;
}

/** A request as it reached the model. */
export interface ModelRequest {
  /** The system prompt, the working folder in it made the same for every run. */
  readonly instruction: string;
  /** The names of the tools on offer. */
  readonly tools: readonly string[];
  readonly messages: readonly ModelMessage[];
}

/** What the model answers: a text, and tool calls that are to run at once. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  /** The answer breaks off after its text; the host ends the run and does not try again. */
  readonly fails?: boolean;
  /** What the request counted, as the provider says; it says nothing unless told. */
  readonly tokens?: number;
}

/** Stands for a model: decides one answer from what the request shows. */
export type ScriptedModel = (request: ModelRequest) => ModelReply;
