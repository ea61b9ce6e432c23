import type { JsonObject, JsonValue, ObjectId } from "@self-context-manager/objects";
import { type Block, isToolCall, type ToolCallBlock } from "./message.ts";

/** The model's answer in a step. A turn has one such step for each model call (decision D30). */
export type AssistantStep = {
  readonly assistant: readonly Block[];
  /** Ids of the tool call objects of the answer's calls, in order. */
  readonly toolcall_ids: readonly ObjectId[];
  /**
   * The ids under which the calls are sent, in order. Present if one of them is not the provider's, which is empty or is that
   * of an earlier call of the chat (decision D77).
   */
  readonly call_ids?: readonly string[];
  readonly assistant_meta: JsonObject;
  /** Present if the model call failed or was aborted. Views do not show the answer. */
  readonly failed?: true;
  /** Number of the view that the model got: a version of the session's view object. */
  readonly view?: number;
  /** SHA-256 of the request as the provider got it; undefined if the host did not show the request. */
  readonly payload_hash?: string;
  readonly key?: string;
};

/** A message of a kind that only its host understands, at its place in the turn (decision D33). */
export type OpaqueStep = {
  readonly opaque: JsonValue;
  readonly kind: string;
  readonly timestamp: number | null;
  readonly key?: string;
};

/** A part of a turn after its user message. */
export type Step = AssistantStep | OpaqueStep;

/** A long text of a user message that has an object of its own: the text block, from 0, and the object. */
export type UserObjectRef = { readonly block: number; readonly id: ObjectId };

/**
 * One turn: a user message and the steps that followed it. `user` is null if the chat began with a message that is not
 * the user's. `key` is set only if the host has its own message keys or records no times.
 */
export type Turn = {
  readonly user: string | readonly Block[] | null;
  /** The objects of its long texts, in order. The message has these texts as well. */
  readonly user_objects?: readonly UserObjectRef[];
  /** Further fields that the host's message has. */
  readonly user_meta?: JsonObject;
  readonly timestamp: number | null;
  readonly steps: readonly Step[];
  readonly key?: string;
};

/** Whether a step is an answer of the model. */
export function isAssistantStep(step: Step): step is AssistantStep {
  return "assistant" in step;
}

/**
 * A place in a chat: after this step of this turn. Step -1 is the place after the user message; turn -1 is the place
 * before the first turn.
 */
export type TurnPosition = { readonly turn: number; readonly step: number };

/**
 * Whether a step does not count because its model call failed or was aborted. Hosts treat such answers in the same way.
 */
export function isDiscarded({ failed }: Pick<AssistantStep, "failed">): boolean {
  return failed === true;
}

/** The place before the first turn. */
export const beforeFirstTurn: TurnPosition = { turn: -1, step: -1 };

/** Returns the place directly before another. */
export function positionBefore({ turn, step }: TurnPosition): TurnPosition {
  if (step >= 0) return { turn, step: step - 1 };
  return turn > 0 ? { turn: turn - 1, step: Number.MAX_SAFE_INTEGER } : beforeFirstTurn;
}

/** Returns the position after the end of a chat: the last turn's next step. */
export function afterEnd(turns: readonly Turn[]): TurnPosition {
  const last = turns.at(-1);
  return last === undefined
    ? { turn: 0, step: -1 }
    : { turn: turns.length - 1, step: last.steps.length };
}

/** Whether a place is after another. */
export function isAfter(position: TurnPosition | undefined, point: TurnPosition): boolean {
  if (position === undefined) return false;
  return position.turn > point.turn || (position.turn === point.turn && position.step > point.step);
}

/** Returns the ids of the user objects and the tool call objects of a turn, in order. */
export function objectsOf(turn: Turn): readonly ObjectId[] {
  return [...(turn.user_objects ?? []).map(({ id }) => id), ...toolcallsOf(turn)];
}

/** Returns the ids of the tool call objects of a turn, in order. */
export function toolcallsOf(turn: Turn): readonly ObjectId[] {
  return turn.steps.flatMap((step) => (isAssistantStep(step) ? step.toolcall_ids : []));
}

/** Returns the tool calls of a step, in order, with the provider's ids. */
export function callsOf(step: Step): readonly ToolCallBlock[] {
  return isAssistantStep(step) ? step.assistant.filter(isToolCall) : [];
}

/** Returns the ids under which the calls of a step are sent, in order. */
export function sentIdsOf(step: Step): readonly string[] {
  const own = isAssistantStep(step) ? step.call_ids : undefined;
  return own ?? callsOf(step).map(({ id }) => id);
}

/** Returns an answer in which each call has the id under which it is sent: the same answer if these are the provider's. */
export function withSentIds(step: AssistantStep): AssistantStep {
  const { call_ids: ids, assistant } = step;
  if (ids === undefined) return step;
  const left = [...ids];
  return {
    ...step,
    assistant: assistant.map((block) =>
      isToolCall(block) ? { ...block, id: left.shift() ?? block.id } : block,
    ),
  };
}
