import { defined, isJsonObject, type JsonValue } from "@self-context-manager/objects";

import { neutralMessage, type NeutralParts } from "../driver/neutral-message.ts";
import type { ModelMessage, ModelToolCall } from "../model-request.ts";

/** The fields that every message of the scripted harness has: an id that is never used again, and a time. */
type Stamp = { readonly id: string; readonly at: number };

/** A message as the scripted harness stores it. Its form differs from core's on purpose. */
export type ScriptedMessage = Stamp & ScriptedContent;

export type ScriptedContent =
  | { readonly kind: "human"; readonly text: string; readonly pictures: readonly string[] }
  | ModelContent
  | OutputContent
  /** A kind that only this harness knows. The model gets it as a user message. */
  | { readonly kind: "note"; readonly text: string }
  /** Replaces messages that the harness has removed from its list. */
  | { readonly kind: "summary"; readonly text: string };

/** The model's answer. */
export type ModelContent = {
  readonly kind: "model";
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  /** The signed thinking that the answer begins with. */
  readonly thinking?: string;
  /** The answer broke off. The harness keeps it for the user and does not send it again. */
  readonly failed: boolean;
  /** The provider's error, if it refused the request. */
  readonly error?: string;
  /** The number of tokens of the request, if the provider reported it. */
  readonly tokens?: number;
};

/** A tool's output. */
export type OutputContent = {
  readonly kind: "output";
  readonly callId: string;
  readonly tool: string;
  readonly text: string;
  readonly pictures: readonly string[];
  readonly failed: boolean;
  /** Data that a plugin attaches to the output. The model does not get it. */
  readonly extra?: JsonValue;
};

/** Whether a value has the form of a message. A codec must read other values too. */
export function isScriptedMessage(value: unknown): value is ScriptedMessage {
  if (!isJsonObject(value)) return false;
  const { id, at, text, kind } = value;
  if (typeof id !== "string" || typeof at !== "number" || typeof text !== "string") return false;
  const { pictures, calls, thinking = "", tokens = 0, callId, tool, failed } = value;
  switch (kind) {
    case "human":
      return areTexts(pictures);
    case "model":
      return (
        Array.isArray(calls) &&
        calls.every(isCall) &&
        typeof thinking === "string" &&
        typeof tokens === "number" &&
        typeof failed === "boolean"
      );
    case "output":
      return (
        areTexts(pictures) &&
        typeof callId === "string" &&
        typeof tool === "string" &&
        typeof failed === "boolean"
      );
    default:
      return kind === "note" || kind === "summary";
  }
}

function isCall(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { id, name, arguments: args } = value;
  return typeof id === "string" && typeof name === "string" && isJsonObject(args);
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Returns a message as the model gets it. */
export function modelMessage(message: ScriptedMessage): ModelMessage {
  return neutralMessage(partsOf(message));
}

function partsOf(message: ScriptedMessage): NeutralParts {
  const { text } = message;
  switch (message.kind) {
    case "human":
      return { role: "user", text, images: message.pictures };
    case "model": {
      const { calls: toolCalls, thinking } = message;
      return { role: "assistant", text, toolCalls, ...defined({ thinking }) };
    }
    case "output":
      return { role: "tool", text, images: message.pictures, toolCallId: message.callId };
    case "note":
      return { role: "user", text: `Note: ${text}` };
    case "summary":
      return { role: "user", text: `Summary: ${text}` };
  }
}
