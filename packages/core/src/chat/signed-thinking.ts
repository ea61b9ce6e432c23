import { isJsonObject } from "@self-context-manager/objects";
import type { Block } from "./message.ts";
import { type AssistantStep, isAssistantStep, type Step } from "./turn.ts";

/**
 * Whether a block is thinking that its provider has signed or encrypted. A provider accepts such a block only unchanged.
 */
export function isSignedThinking(block: Block): boolean {
  if (block.type === "redacted_thinking" || block["redacted"] === true) return true;
  return (
    thinkingTypes.has(block.type) &&
    (isSignature(block["thinkingSignature"]) || isSignature(block["signature"]))
  );
}

const thinkingTypes: ReadonlySet<string> = new Set(["thinking", "reasoning"]);

/** Whether an answer contains signed thinking. */
export function hasSignedThinking(step: AssistantStep): boolean {
  return step.assistant.some((block) => isSignedThinking(block) || isSignedCall(block));
}

/**
 * Returns an answer's blocks without its signed thinking. Some providers attach encrypted thinking to a tool call; the
 * call stays without it.
 */
export function withoutSignedThinking(blocks: readonly Block[]): readonly Block[] {
  return blocks.flatMap((block) => {
    if (isSignedThinking(block)) return [];
    if (!isSignedCall(block)) return [block];
    const { thoughtSignature: _left, ...rest } = block;
    return [rest];
  });
}

/** Returns an answer's blocks without any thinking, signed or not. */
export function withoutAllThinking(blocks: readonly Block[]): readonly Block[] {
  return withoutSignedThinking(blocks).filter(({ type }) => !thinkingTypes.has(type));
}

/**
 * Whether an answer contains thinking that its provider keeps as an item with an id, as OpenAI's Responses API does. The
 * calls and texts of the answer have ids too, and the provider refuses them without the thinking that came before them.
 */
export function hasThinkingItem(step: AssistantStep): boolean {
  return step.assistant.some(
    (block) =>
      thinkingTypes.has(block.type) &&
      (isItemAsJson(block["thinkingSignature"]) || hasItemId(block["providerOptions"])),
  );
}

/** Returns a step without its signed thinking: the same step if there is none. */
export function stepWithoutThinking(step: Step): Step {
  if (!isAssistantStep(step) || !hasSignedThinking(step)) return step;
  return { ...step, assistant: withoutSignedThinking(step.assistant) };
}

function isSignedCall(block: Block): boolean {
  return block.type === "toolCall" && isSignature(block["thoughtSignature"]);
}

function isSignature(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Whether a signature is a reasoning item as JSON, the form in which Pi and OpenClaw keep it. */
function isItemAsJson(signature: unknown): boolean {
  return typeof signature === "string" && signature.startsWith("{") && itemType.test(signature);
}

const itemType = /"type"\s*:\s*"reasoning"/u;

/** Whether the options of a provider have the id of an item, the form in which the AI SDK keeps it. */
function hasItemId(options: unknown): boolean {
  if (!isJsonObject(options)) return false;
  return Object.values(options).some(
    (option) => isJsonObject(option) && typeof option["itemId"] === "string",
  );
}
