import type { JsonObject, JsonValue, ObjectId } from "@self-context-manager/objects";
import { type Block, isToolCall, type ToolCallBlock } from "./message.ts";

/** One model call of a turn (fixes §4, decision D30). */
export type AssistantStep = {
  readonly assistant: readonly Block[];
  /** The tool call objects of the message's calls, in order. */
  readonly toolcall_ids: readonly ObjectId[];
  readonly assistant_meta: JsonObject;
  /** The number of the view that the model saw: the version of the session's view object. */
  readonly view?: number;
  /** SHA-256 of the request as the provider got it, where the host showed it. */
  readonly payload_hash?: string;
  readonly key?: string;
};

/** A message that only its host knows, in its place (decision D33). */
export type OpaqueStep = {
  readonly opaque: JsonValue;
  readonly kind: string;
  readonly timestamp: number | null;
  readonly key?: string;
};

export type Step = AssistantStep | OpaqueStep;

/**
 * One turn of a user: the message and the steps that followed it. `user` is null where something came before any
 * user's message. `key` stands only where the host has keys of its own or no times.
 */
export type Turn = {
  readonly user: string | readonly Block[] | null;
  readonly timestamp: number | null;
  readonly steps: readonly Step[];
  readonly key?: string;
};

/** Whether a step is a model call. */
export function isAssistantStep(step: Step): step is AssistantStep {
  return "assistant" in step;
}

/** A place in a chat: after this step of this turn; step -1 is the user's message itself, turn -1 before everything. */
export type TurnPosition = { readonly turn: number; readonly step: number };

/** Whether an assistant message counts for nothing, as hosts treat those that failed or were aborted. */
export function isDiscarded(step: AssistantStep): boolean {
  const reason = step.assistant_meta["stopReason"];
  return reason === "error" || reason === "aborted";
}

/** Before everything. */
export const beforeFirstTurn: TurnPosition = { turn: -1, step: -1 };

/** The place right before another. */
export function positionBefore({ turn, step }: TurnPosition): TurnPosition {
  if (step >= 0) return { turn, step: step - 1 };
  return turn > 0 ? { turn: turn - 1, step: Number.MAX_SAFE_INTEGER } : beforeFirstTurn;
}

/** Whether a place is behind another. */
export function isAfter(position: TurnPosition | undefined, point: TurnPosition): boolean {
  if (position === undefined) return false;
  return position.turn > point.turn || (position.turn === point.turn && position.step > point.step);
}

/** The tool calls of a step, in order. */
export function callsOf(step: Step): readonly ToolCallBlock[] {
  return isAssistantStep(step) ? step.assistant.filter(isToolCall) : [];
}
