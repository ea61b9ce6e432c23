import type {
  LineRange,
  ObjectId,
  StoredMetadata,
  StoredVersion,
} from "@self-context-manager/objects";
import type { ToolFacts } from "../calls/tool-facts.ts";
import type { Compaction } from "../chat/chat-document.ts";
import type {
  AssistantMessage,
  OpaqueMessage,
  ToolResultMessage,
  UserMessage,
} from "../chat/message.ts";
import type { Turn } from "../chat/turn.ts";
import type { TokenEstimator } from "../cost/token-estimator.ts";
import type { InView, UseKey } from "../policy/activation-policy.ts";
import type { DescribedEntry } from "./describe-entries.ts";
import type { PoolEntry } from "./pool-entry.ts";
import type { ViewRecord } from "./view-record.ts";
import type { ViewSource } from "./view-source.ts";

/** A message of the view, for the adapter to put into its host's form. */
export type ViewMessage = UserMessage | AssistantMessage | ToolResultMessage | OpaqueMessage;

/** An active object with its content. */
export interface ActiveObject {
  readonly entry: PoolEntry;
  readonly stored: StoredVersion;
  readonly range?: LineRange;
  readonly isPinned: boolean;
  /** The model or the user asked for it; what a layout would trim by itself is shown whole. */
  readonly isAsked?: boolean;
}

/** What a policy says of what is in view. */
export interface Liveness {
  /** Whether the large arguments of a call are still alive. */
  readonly keepsArguments: (object: InView) => boolean;
  /** Whether what is alive stays when an epoch ends. */
  readonly stays: (object: InView) => boolean;
}

/** What sending bytes costs now, relative to uncached input, as far as an epoch's end depends on it. */
export interface CacheCost {
  /** Price of a token that the provider's cache holds. */
  readonly read: number;
  /** Price of a token that it is to keep. */
  readonly write: number;
  /** Nothing that was sent is in the cache any more: everything is written anew whatever is sent. */
  readonly isCold: boolean;
  /** What a change makes anew: what follows it, or everything behind the system prompt. */
  readonly rewrites: "what-follows" | "everything";
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
  /** By how much the estimator's counts exceed the raw ones; 1 unless told. */
  readonly factor?: number;
  /** Objects of the pool by handle, where a layout goes by handles. */
  readonly handles?: ReadonlyMap<string, ObjectId>;
  /** Versions that are not active and may be shown, by `handle@version`. */
  readonly versions?: ReadonlyMap<string, StoredVersion | StoredMetadata>;
  /** What a policy says; where it is missing, what is active is alive and stays. */
  readonly liveness?: Liveness;
  /** Anthropic's usual prices and a warm cache unless told. */
  readonly cache?: CacheCost;
  /** What tools do, by their names and arguments; by the usual names unless told. */
  readonly toolFacts?: ToolFacts;
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
  readonly form: "whole" | "part" | "left-out";
}

export interface LayoutOutput {
  readonly messages: readonly ViewMessage[];
  readonly tokens: PoolTokens;
  readonly shown: readonly ShownObject[];
  /** What was shown, as data: given back on the session's next call, and enough to make the same messages again. */
  readonly record: ViewRecord;
  /** Objects that became inactive because the layout took their content out of the view. */
  readonly deactivated?: readonly ObjectId[];
  /** Where a provider's cache is worth a breakpoint: indexes of messages, the last one included, in order. */
  readonly boundaries?: readonly number[];
  readonly epoch?: EpochFigures;
}

/** The epoch that a call belongs to. */
export interface EpochPlace {
  /** The epoch's number, from 1. */
  readonly number: number;
  /** Calls of this epoch so far, this call included. */
  readonly calls: number;
  /** Why the previous epoch ended; undefined in the first one. */
  readonly endedBy?: EpochEnd;
  /** Handles of the objects whose content was removed when the previous epoch ended. */
  readonly left: readonly UseKey[];
}

/** The figures of an epoch layout for one call. Tokens are estimated. */
export interface EpochFigures extends EpochPlace {
  /** Whether this call began the epoch. */
  readonly isNew: boolean;
  /** Tokens in view of what is no longer active. */
  readonly deadTokens: number;
  /** What carrying them has cost so far and what an end would cost, in uncached input tokens. */
  readonly carried: number;
  readonly rewrite: number;
  /** Tokens of all messages, before calibration, as are the two below. */
  readonly promptTokens: number;
  /** Tokens at the head that were sent before, unchanged. */
  readonly sharedTokens: number;
  /** Tokens that this prompt would have with everything left where it arrived, as it came. */
  readonly appendOnlyTokens: number;
}

/**
 * Why an epoch ended: carrying what is dead had cost most of what leaving it out costs (`carried`), the provider's cache was
 * cold anyway, the budget demanded it, a result came late, or a person compacted the chat.
 */
export type EpochEnd = "carried" | "cold" | "budget" | "late-result" | "compaction";

/**
 * Arranges the pools into the messages that the model sees. Pure: the same input and record give the same bytes.
 *
 * Laws, tested for every layout on sessions that grow call by call:
 *
 * - `output-is-legal`: each tool call has exactly one result, directly after its message, in order; no result without
 *   its call; no empty content; the first message is a user's; answers are as the model gave them, thinking and
 *   signatures too, but for long texts in arguments.
 * - `newest-user-message-is-there`: whole if it fits the budget, else in part.
 * - `active-is-shown`: the contents of the active objects can be read in their newest version, no line of them twice, as
 *   far as the budget goes; what an epoch's end took out is named in `deactivated`.
 * - `budget-holds`: the estimate of the messages is at most the budget.
 * - `nothing-volatile`: the same input and record give the same bytes, in a new process too: no clock reading, no
 *   counter and no fresh id is rendered.
 * - `rebuild-is-identical`: from its record and the versions that `describe` names, a view is rendered again byte for
 *   byte.
 * - `lost-versions-are-left-out`: if some of these versions are lost, the messages that do not need them can still be
 *   rendered: with `without` from the record that it returns, else entry by entry.
 *
 * Laws of layouts with epochs:
 *
 * - `sent-bytes-stay`: nothing that was sent changes unless an epoch ended, and then nothing before the first that left;
 *   the figures tell how much of the prompt that is.
 * - `an-end-is-justified`: carrying what is dead has cost its share of the rewrite, the cache was cold, the budget
 *   demanded it or has grown, a result came late, or the chat was compacted.
 * - `removed-content-is-named`: in the place of what left stands a line of at most 17 tokens that names it, or a word of whole
 *   turns that left; the header of a content has at most 12.
 */
export interface Layout {
  readonly name: string;
  /** Arguments of writes and edits from so many tokens on leave by themselves; undefined where they never do. */
  readonly largeArguments?: number;
  render(input: LayoutInput, last?: ViewRecord): LayoutOutput;
  /**
   * Renders the messages of a recorded view again. The source has the versions that `describe` names. Throws a
   * `RangeError` that names a version which the source does not have.
   */
  rebuild(record: ViewRecord, source: ViewSource): readonly ViewMessage[];
  /** Describes a record of this layout for a person, and names every version that `rebuild` reads. */
  describe(record: ViewRecord): readonly DescribedEntry[];
  /** Returns the epoch that a record belongs to; undefined for a record of another layout. A layout without epochs lacks it. */
  epochOf?(record: ViewRecord): EpochPlace | undefined;
  /**
   * Returns a record without lost versions, each `handle@version`, from which the remaining messages can be rendered.
   * A layout lacks it if each entry of its records is one message: then entries are rendered one by one.
   */
  without?(record: ViewRecord, lost: ReadonlySet<string>): ViewRecord;
  /**
   * The versions, as `handle@version`, that it needs beside the active ones to go on from a record. `isLatest` says of a
   * version that the pool has its metadata, which is all that a line needs.
   */
  needs?(
    record: ViewRecord,
    active: readonly ActiveObject[],
    isLatest?: (handle: string, version: number) => boolean,
  ): readonly string[];
}
