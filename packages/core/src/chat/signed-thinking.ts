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
