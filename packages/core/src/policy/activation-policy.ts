import type { ObjectId } from "@self-context-manager/objects";
import type { CallKind } from "../calls/call-kind.ts";

/** When something happened: the user turn, and how many counted tool calls that turn had by then. */
export interface CallTime {
  readonly turn: number;
  readonly call: number;
}

/**
 * What a policy ranks: an object by its handle (`f12`, `t31`), or the large arguments of a write or an edit by the
 * handle of its tool call (`t31/args`).
 */
export type UseKey = string;

/** An active object as a policy sees it. */
export interface PolicyObject {
  readonly id: ObjectId;
  readonly key: UseKey;
  readonly type: string;
  /** When it last arrived, was read or was activated. */
  readonly used: CallTime;
  /** Estimated tokens of its content. */
  readonly tokens: number;
  /** Of a tool's result, what the call did. */
  readonly kind?: CallKind;
}

/** Something in view that may leave. */
export type InView = Pick<PolicyObject, "key" | "tokens" | "kind">;

export interface PolicyInput {
  /** Active objects that are neither pinned nor locked, in order of activation. */
  readonly candidates: readonly PolicyObject[];
  /** The current turn. */
  readonly turn: number;
  /** How many tool calls a turn has had; the context tools' own are not counted (decision D37). */
  readonly callsInTurn: (turn: number) => number;
  /** What was used last, whether active or not, the newest last; at most `recentLimit` keys. */
  readonly recent: readonly UseKey[];
  /** Estimated tokens of the view that was sent last; 0 before the first. */
  readonly sentTokens: number;
}

/** How many keys the order of use keeps; a policy sees no further back. */
export const recentLimit = 96;

/**
 * Decides which objects leave the active set by themselves (specification v0 §6.4), and what stays in view when an epoch
 * ends. Pure and deterministic; it is asked before every model call. What the model or the user does always wins: pinned
 * objects are not shown to it, and nothing that was deactivated ever comes back by it.
 */
export interface ActivationPolicy {
  readonly name: string;
  /** The ids, among the candidates, that become inactive. */
  leaving(input: PolicyInput): readonly ObjectId[];
  /** Says of the large arguments of a write or an edit whether they are still alive. */
  keepsArguments(recent: readonly UseKey[]): (object: InView) => boolean;
  /** Says of what is alive whether it stays in view when an epoch ends. */
  staysAtSweep(recent: readonly UseKey[]): (object: InView) => boolean;
}

/** The key of the large arguments of a call. */
export function argumentsKey(handle: string): UseKey {
  return `${handle}/args`;
}
