import type { ObjectId } from "@self-context-manager/objects";
import type { CallKind } from "../calls/call-kind.ts";

/** The time of an event: the user turn, and the number of counted tool calls in that turn until then. */
export interface CallTime {
  readonly turn: number;
  readonly call: number;
}

/**
 * Identifies what a policy ranks: an object by its handle (`f12`, `t31`), or the large arguments of a write or an edit
 * by the handle of the tool call (`t31/args`).
 */
export type UseKey = string;

/** An active object as a policy gets it. */
export interface PolicyObject {
  readonly id: ObjectId;
  readonly key: UseKey;
  readonly type: string;
  /** The time when it last arrived, was read or was activated. */
  readonly used: CallTime;
  /** Estimated tokens of its content. Of active lines only the lines count, and images count with the text. */
  readonly tokens: number;
  /** For the result of a tool: what the call did. */
  readonly kind?: CallKind;
}

/** Content or arguments in view that can leave. */
export type InView = Pick<PolicyObject, "key" | "tokens" | "kind">;

/** What a policy decides by. */
export interface PolicyInput {
  /** Active objects that are neither pinned nor locked, in order of activation. */
  readonly candidates: readonly PolicyObject[];
  /** The current turn. */
  readonly turn: number;
  /** Returns the number of tool calls in a turn, without calls of the context tools themselves (decision D37). */
  readonly callsInTurn: (turn: number) => number;
  /** The keys used last, active or not, the newest last; at most `recentLimit`. */
  readonly recent: readonly UseKey[];
  /** Estimated tokens of the view that was sent last; 0 before the first call. */
  readonly sentTokens: number;
}

/** Number of keys that the order of use keeps. A policy does not see earlier uses. */
export const recentLimit = 256;

/**
 * Decides before each model call which active objects become inactive, and decides what stays in view when an epoch
 * ends. A policy is pure and deterministic. The model and the user have precedence: the policy does not get pinned
 * objects, and it never makes a deactivated object active again.
 */
export interface ActivationPolicy {
  readonly name: string;
  /**
   * Whether an object that the policy made inactive becomes active again when a call names its file and its content is
   * still in view. Default: false.
   */
  readonly revivesNamed?: boolean;
  /** Returns the ids, among the candidates, that become inactive. */
  leaving(input: PolicyInput): readonly ObjectId[];
  /** Returns a function that decides whether the large arguments of a write or an edit are still alive. */
  keepsArguments(recent: readonly UseKey[]): (object: InView) => boolean;
  /** Returns a function that decides whether content or arguments that are alive stay in view when an epoch ends. */
  staysAtSweep(recent: readonly UseKey[]): (object: InView) => boolean;
}

/** Returns the key of the large arguments of a call. */
export function argumentsKey(handle: string): UseKey {
  return `${handle}/args`;
}
