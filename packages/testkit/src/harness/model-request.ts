import type { JsonObject } from "@self-context-manager/objects";

/** A tool call in a form that is common to all harnesses. */
export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** A message as the model received it. */
export interface ModelMessage {
  readonly role: "user" | "assistant" | "tool";
  /** The text blocks, joined by line feeds. */
  readonly text: string;
  /** The bytes of the images, in base64. */
  readonly images: readonly string[];
  readonly toolCalls: readonly ModelToolCall[];
  /** In a tool's result: the id of the tool call that it answers. */
  readonly toolCallId?: string;
  /** The model's signed thinking in the message, by its text. */
  readonly thinking?: string;
  /** The whole message as it was sent, except for its thinking. The working folder's path is replaced, so that it is the same in every run. */
  readonly bytes: string;
}

/** A request as the model received it. */
export interface ModelRequest {
  /** The system prompt. The working folder's path is replaced, so that it is the same in every run. */
  readonly instruction: string;
  /** The names of the tools that the request offers. */
  readonly tools: readonly string[];
  readonly messages: readonly ModelMessage[];
}

/** The model's answer: a text, and tool calls that are executed in parallel. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  /** The text of the signed thinking that the answer begins with. */
  readonly thinking?: string;
  /** The answer breaks off after its text. The host ends the run and does not repeat the request. */
  readonly fails?: boolean;
  /**
   * The provider refuses the request with this error, instead of an answer. The host ends the run, unless it has a way of
   * its own to go on.
   */
  readonly refuses?: string;
  /** The tokens of the request, as the provider reports them. `undefined`: the provider reports no count. */
  readonly tokens?: number;
}

/** Replaces a model: returns one answer for each request. */
export type ScriptedModel = (request: ModelRequest) => ModelReply;
