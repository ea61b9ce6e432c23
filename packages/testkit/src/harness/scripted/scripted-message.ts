import type { JsonValue } from "@self-context-manager/objects";

import type { ModelMessage, ModelToolCall } from "../model-request.ts";

/** What every message of the scripted harness has: an id that is never used again, and a time. */
type Stamp = { readonly id: string; readonly at: number };

/** A message as the scripted harness keeps it; its form is deliberately not core's. */
export type ScriptedMessage = Stamp & ScriptedContent;

export type ScriptedContent =
  | { readonly kind: "human"; readonly text: string; readonly pictures: readonly string[] }
  | ModelContent
  | OutputContent
  /** A kind that only this harness knows; the model gets it as a user's message. */
  | { readonly kind: "note"; readonly text: string }
  /** Stands for messages that the harness has taken out of its list. */
  | { readonly kind: "summary"; readonly text: string };

/** What the model answered. */
export type ModelContent = {
  readonly kind: "model";
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  /** It broke off: kept for the user, and not sent again. */
  readonly failed: boolean;
  /** How many tokens the request had, where the provider said so. */
  readonly tokens?: number;
};

/** What a tool returned. */
export type OutputContent = {
  readonly kind: "output";
  readonly callId: string;
  readonly tool: string;
  readonly text: string;
  readonly pictures: readonly string[];
  readonly failed: boolean;
  /** Whatever a plugin wants to be kept with the output; the model does not get it. */
  readonly extra?: JsonValue;
};

/** A message as the model gets it. */
export function modelMessage(message: ScriptedMessage): ModelMessage {
  const rendered = render(message);
  return { ...rendered, bytes: JSON.stringify(rendered) };
}

function render(message: ScriptedMessage): Omit<ModelMessage, "bytes"> {
  const { text } = message;
  switch (message.kind) {
    case "human":
      return { role: "user", text, images: message.pictures, toolCalls: [] };
    case "model":
      return { role: "assistant", text, images: [], toolCalls: message.calls };
    case "output":
      return {
        role: "tool",
        text,
        images: message.pictures,
        toolCalls: [],
        toolCallId: message.callId,
      };
    case "note":
      return { role: "user", text: `Note: ${text}`, images: [], toolCalls: [] };
    case "summary":
      return { role: "user", text: `Summary: ${text}`, images: [], toolCalls: [] };
  }
}
