import type {
  AssistantMessage,
  OpaqueMessage,
  ToolResultMessage,
  UserMessage,
} from "../chat/message.ts";
import type { Compaction } from "../chat/chat-document.ts";
import type { Turn } from "../chat/turn.ts";
import type { JsonValue } from "../objects/json.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { StoredVersion } from "../objects/stored-version.ts";
import type { TokenEstimator } from "../ports/token-estimator.ts";
import type { LineRange } from "../session/line-range.ts";
import type { PoolEntry } from "../session/session-state.ts";

/** A message of the view, for the adapter to put into its host's form. */
export type ViewMessage = UserMessage | AssistantMessage | ToolResultMessage | OpaqueMessage;

/** An active object with its content. */
export interface ActiveObject {
  readonly entry: PoolEntry;
  readonly stored: StoredVersion;
  readonly range?: LineRange;
  readonly isPinned: boolean;
}

/** What a layout makes the view from: the three pools (specification v0 §21.1) and the limits. */
export interface LayoutInput {
  readonly turns: readonly Turn[];
  readonly compaction?: Compaction;
  readonly chatHandle: string;
  /** The metadata pool, in order of joining. */
  readonly pool: ReadonlyMap<ObjectId, PoolEntry>;
  /** Another number whenever an entry of the pool has changed, so that a layout can keep what it made from them. */
  readonly poolRevision: number;
  /** In order of activation, the newest last. */
  readonly active: readonly ActiveObject[];
  readonly workspace: string;
  readonly estimator: TokenEstimator;
  /** How many tokens the messages may have; undefined for no limit. */
  readonly budget?: number;
}

/** Tokens by pool, as estimated. */
export interface PoolTokens {
  readonly metadata: number;
  readonly chat: number;
  readonly active: number;
}

/** How an active object is shown in the view. */
export interface ShownObject {
  readonly id: ObjectId;
  readonly as: "whole" | "part" | "left-out";
}

export interface LayoutOutput {
  readonly messages: readonly ViewMessage[];
  readonly tokens: PoolTokens;
  readonly shown: readonly ShownObject[];
  /** What the layout wants to be given on the next call of the session; undefined where it needs nothing. */
  readonly memory?: JsonValue;
}

/**
 * Arranges the pools into the messages that the model sees. Pure: the same input and memory give the same bytes.
 *
 * Laws, tested for every layout:
 *
 * - `output-is-legal`: each tool call has exactly one result, directly after its message, in order; no result without
 *   its call; no empty content; the first message is a user's; thinking and signatures are untouched.
 * - `newest-user-message-is-there`: whole if it fits the budget, else in part.
 * - `active-is-shown`: exactly the active objects' contents are in the view, each once, as far as the budget goes.
 * - `budget-holds`: the estimate of the messages is at most the budget.
 * - `nothing-volatile`: no clock reading, no counter and no fresh id is rendered.
 */
export interface Layout {
  readonly name: string;
  render(input: LayoutInput, memory?: JsonValue): LayoutOutput;
}
