import type { ObjectId } from "@self-context-manager/objects";
import type { ColdReason } from "../cost/cache-state.ts";
import type { ReportedUsage } from "../chat/message.ts";
import type { CallSummary } from "./rebuilt-view.ts";

/** What fills a view. Objects have their own kind; the others are the parts of a view that are no objects. */
export type PartKind =
  | "file"
  | "toolcall"
  | "user"
  | "other"
  | "system"
  | "messages"
  | "answers"
  | "lines";

/**
 * One part of the views of a session, the same in all calls: an object, or all that is of one kind and is no object.
 * `system`: the system prompts; `messages`: what the user wrote, summaries, and messages that only the host understands;
 * `answers`: the model's answers; `lines`: lines of the context manager, and objects of which only a line is shown.
 */
export interface TimelinePart {
  readonly kind: PartKind;
  /** The handle of the object in the session; undefined for a part that is no object. */
  readonly handle?: string;
  readonly id?: ObjectId;
  /** The object's short name. */
  readonly name: string;
}

/** The tokens of a part from a call on, until a later call changes them; 0 once it has left the view. */
export type PartChange = readonly [part: number, tokens: number];

/** Estimated tokens of one call by the same prices; `units`: in tokens of uncached input. */
export interface CallCost {
  readonly cached: number;
  readonly fresh: number;
  readonly units: number;
  /** Units of the same call in the plain host; 0 if it would not have made the call. */
  readonly plainUnits: number;
}

/** Why tokens that an earlier call had sent were billed again as new ones. */
export type MissReason =
  | ColdReason
  /** The context manager ended an epoch, so bytes after the first removed content are new. */
  | "epoch-ended"
  /** The system prompt is another one, so nothing after it can be read from the cache. */
  | "system-prompt"
  /** The messages begin otherwise than those of the call before, for another reason than an epoch's end. */
  | "messages-changed"
  /** All bytes were the same: the provider has dropped them, or the host changed what it sends before the messages. */
  | "provider";

/** Tokens that were sent before and billed again as new ones. */
export interface CacheMiss {
  readonly tokens: number;
  readonly reason: MissReason;
  /** The reason in a sentence that names what changed. */
  readonly text: string;
  /** Whether `tokens` comes from the provider's usage; otherwise it is estimated. */
  readonly isReported: boolean;
}

/**
 * One call of a timeline. All tokens are estimates before calibration, so those of different calls can be compared, except
 * in `cost`, `miss` and `usage`. `tokens` of a call summary has the calibration of its time. The tokens of all parts but
 * the system prompts add up to `tokens`: those that no entry names, such as the pools of the pooled layout, are messages.
 */
export interface TimelineCall extends Pick<
  CallSummary,
  "call" | "at" | "layout" | "tokens" | "epoch"
> {
  /** Milliseconds since 1970 when the call was sent, and `provider/id` of the model; undefined if they are not known. */
  readonly sentAt?: number;
  readonly model?: string;
  /** The number of messages, if the layout records single ones. */
  readonly messages?: number;
  /** The parts whose tokens are others than in the call before. */
  readonly changes: readonly PartChange[];
  /** Tokens at the beginning of the messages that are the same as in the call before. */
  readonly shared: number;
  /** Tokens of content that the view shows more than once. */
  readonly repeated: number;
  readonly cost?: CallCost;
  /** The tokens of the prompt as the provider reported them with the answer. */
  readonly usage?: ReportedUsage;
  /**
   * The price of `usage` in tokens of uncached input, at the prices of `cost`. Undefined if these prices are not known
   * now, for example because only the host knew them.
   */
  readonly reportedUnits?: number;
  readonly miss?: CacheMiss;
  /** Why the view of the call cannot be read; its figures are then 0. */
  readonly problem?: string;
}

/** What filled the window in each call of a session, and what it cost. */
export interface SessionTimeline {
  readonly parts: readonly TimelinePart[];
  readonly calls: readonly TimelineCall[];
  /**
   * How an estimate becomes the provider's count: reported = factor × estimated + overhead, where `estimated` are the
   * tokens of the messages alone. The overhead is the rest: the system prompts, which are a part too, and what the host
   * sends and the context manager does not see, such as the declarations of tools.
   */
  readonly calibration: { readonly factor: number; readonly overhead: number };
}
