import type { ObjectId } from "../objects/object-id.ts";

/** When something happened: the user turn, and how many counted tool calls that turn had by then. */
export interface CallTime {
  readonly turn: number;
  readonly call: number;
}

/** An active object as a policy sees it. */
export interface PolicyObject {
  readonly id: ObjectId;
  readonly type: string;
  /** When it last arrived, was read or was activated. */
  readonly used: CallTime;
}

export interface PolicyInput {
  /** Active objects that are neither pinned nor locked, in order of activation. */
  readonly candidates: readonly PolicyObject[];
  /** The current turn. */
  readonly turn: number;
  /** How many tool calls a turn has had; the context tools' own are not counted (decision D37). */
  readonly callsInTurn: (turn: number) => number;
}

/**
 * Decides which objects leave the active set by themselves (specification v0 §6.4). Pure and deterministic; it is asked
 * before every model call. What the model or the user does always wins: pinned objects are not shown to it, and nothing
 * that was deactivated ever comes back by it.
 */
export interface ActivationPolicy {
  readonly name: string;
  /** The ids, among the candidates, that become inactive. */
  leaving(input: PolicyInput): readonly ObjectId[];
}
