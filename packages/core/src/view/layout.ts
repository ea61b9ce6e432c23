import type {
  JsonObject,
  LineRange,
  ObjectId,
  StoredMetadata,
  StoredVersion,
} from "@self-context-manager/objects";
import type { ToolFacts } from "../calls/tool-facts.ts";
import type { Compaction } from "../chat/chat-body.ts";
import type {
  AssistantMessage,
  OpaqueMessage,
  ToolResultMessage,
  UserMessage,
} from "../chat/message.ts";
import type { Turn } from "../chat/turn.ts";
import type { ThinkingBinding } from "../cost/thinking-binding.ts";
import type { Calibration } from "../cost/calibration.ts";
import type { TokenEstimator } from "../cost/token-estimator.ts";
import type { InView, UseKey } from "../policy/activation-policy.ts";
import type { DescribedEntry } from "./describe-entries.ts";
import type { MessagePlace } from "./left-out-rows.ts";
import type { PoolEntry } from "./pool-entry.ts";
import type { ViewRecord } from "./view-record.ts";
import type { ViewSource } from "./view-source.ts";

/** A message of the view. The adapter converts it to the host's form. */
export type ViewMessage = UserMessage | AssistantMessage | ToolResultMessage | OpaqueMessage;

/** An active object with its content. */
export interface ActiveObject {
  readonly entry: PoolEntry;
  /** The version to show. It can be older than the newest one, which the entry has. */
  readonly stored: StoredVersion;
  /** The lines to show, in order and without an overlap; undefined for the whole content. */
  readonly ranges?: readonly LineRange[];
  readonly isPinned: boolean;
  /** Whether the model or the user asked for it. Then a content that the layout would cut is shown whole. */
  readonly isAsked?: boolean;
}

/** The decisions of a policy about content in view. */
export interface Liveness {
  /** Whether the large arguments of a call are still alive. */
  readonly keepsArguments: (object: InView) => boolean;
  /** Whether content or arguments that are alive stay when an epoch ends. */
  readonly stays: (object: InView) => boolean;
  /**
   * Whether an object is in no order of use: the model or the user deactivated it, or the order is full of others that
   * were used since. Default: none is.
   */
  readonly isDeactivated?: (key: UseKey) => boolean;
}

/**
 * The versions of a file that hold the long texts of a call's arguments. `before` is the version that holds the texts
 * that an edit replaced, or 0 if none is known; undefined if no long text was replaced.
 */
export interface HeldTexts {
  readonly file: ObjectId;
  readonly version: number;
  readonly before?: number;
}

/** A version of a file that holds texts. */
export type HeldIn = Pick<HeldTexts, "file" | "version">;

/** The prices on which the end of an epoch depends, relative to uncached input. */
export interface CacheCost {
  /** Price of a token that is read from the provider's cache. */
  readonly read: number;
  /** Price of a token that is written to the cache. */
  readonly write: number;
  /** Whether the cache holds nothing of the session. Then everything is written again, with or without changes. */
  readonly isCold: boolean;
  /**
   * The part of the prompt that the provider writes to the cache again after a change: the messages that follow it, those
   * that follow the last breakpoint before it, or everything after the system prompt.
   */
  readonly rewrites: "what-follows" | "after-a-mark" | "everything";
  /** The time from which on prompts are still in the cache, in milliseconds since 1970. Default: all are. */
  readonly heldFrom?: number;
}

/** What only a layout with epochs needs: what content is worth, and what a change of sent messages costs. */
export interface EpochInput {
  /** The decisions of the policy. Default: every active object is alive and stays. */
  readonly liveness?: Liveness;
  /** Returns the versions that hold the long texts of a tool call. Default: none is known. */
  readonly textsOf?: (call: ObjectId, args: JsonObject) => HeldTexts | undefined;
  /**
   * Returns the version that holds all of some texts which a tool call replaced, of the file that it changed. Default:
   * none is known.
   */
  readonly replacedIn?: (call: ObjectId, texts: readonly string[]) => HeldIn | undefined;
  /** The prices of the cache. Default: Anthropic's usual prices and a warm cache. */
  readonly cache?: CacheCost;
  /** Names the text before the messages, the system prompt and the tools. A new name is a change of that text. */
  readonly head?: string;
  /**
   * Index of the first entry of the last view before which messages that others add to a request have changed. Default:
   * none has. A model that binds its thinking does not accept thinking that it made behind them.
   */
  readonly changedFrom?: number;
  /** Index of the first entry of the last view of which the user had a text forgotten since. Default: none. */
  readonly forgottenFrom?: number;
  /** The number of the call that got the last view. An answer to it was thought after exactly that view. */
  readonly lastCall?: number;
  /** Whether no message of the present turn can leave, because the host itself shows them. Default: false. */
  readonly isTurnFixed?: boolean;
  /** Returns the short summary that a model wrote of a turn, by the turn's index. Default: there is none. */
  readonly summaryOf?: (turn: number) => string | undefined;
  /** The turns of which no steps are folded, by their index in order, unless the budget needs their room. Default: none. */
  readonly unfolded?: readonly number[];
  /**
   * The entries of the pool that joined because a program loaded them or a document links to them, in that order. They get
   * a line each. Default: there are none.
   */
  readonly broughtIn?: readonly PoolEntry[];
  /** Classifies tool calls by tool name and arguments. Default: the built-in table of common tool names. */
  readonly toolFacts?: ToolFacts;
}

/** The input of every layout: chat, metadata pool, active objects and limits. */
export interface LayoutInput {
  readonly turns: readonly Turn[];
  readonly compaction?: Compaction;
  readonly chatHandle: string;
  /** The metadata pool, in order of joining. */
  readonly pool: ReadonlyMap<ObjectId, PoolEntry>;
  /** A number that changes with each change of the pool's entries, so that a layout can reuse renderings of them. */
  readonly poolRevision: number;
  /** The active objects in order of activation, the newest last. */
  readonly active: readonly ActiveObject[];
  readonly workspace: string;
  readonly estimator: TokenEstimator;
  /** Maximum tokens of the messages; undefined for no limit. */
  readonly budget?: number;
  /** The calibration of the estimator; default: none. */
  readonly calibration?: Calibration;
  /** Ids of the pool's objects by handle; default: computed from the pool. */
  readonly handles?: ReadonlyMap<string, ObjectId>;
  /** Versions that are not active and can be shown, by `handle@version`. */
  readonly versions?: ReadonlyMap<string, StoredVersion | StoredMetadata>;
  /** Whether the model accepts signed thinking only after unchanged text. Default: `free`. */
  readonly thinking?: ThinkingBinding;
  /** Lines for the model that this view shows and later ones need not show. Default: none. */
  readonly notes?: readonly string[];
  /** The messages of the chat that the view leaves out, as rows of `LeftOut`. Default: none. */
  readonly leftOut?: readonly string[];
  /** What only a layout with epochs needs. Other layouts ignore it. Default: the defaults of its fields. */
  readonly epochs?: EpochInput;
}

/** Estimated tokens of each pool. */
export interface PoolTokens {
  readonly metadata: number;
  readonly chat: number;
  readonly active: number;
}

/**
 * How an active object is shown in the view. `replaced`: the session may show only a former content, and a line reports
 * the newer version instead.
 */
export interface ShownObject {
  readonly id: ObjectId;
  readonly form: "whole" | "part" | "replaced" | "left-out";
}

/** What a layout returns: the messages, and the record by which they can be rendered again. */
export interface LayoutOutput {
  readonly messages: readonly ViewMessage[];
  readonly tokens: PoolTokens;
  readonly shown: readonly ShownObject[];
  /**
   * The description of the view as data. The session passes it to its next call, and the same messages can be rebuilt
   * from it.
   */
  readonly record: ViewRecord;
  /** Objects that became inactive because the layout removed their content from the view. */
  readonly deactivated?: readonly ObjectId[];
  /** Indexes of messages where a cache breakpoint is worth its price, in order. The last message is included. */
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
  /** The keys of the contents and arguments that were removed when the previous epoch ended: `f3`, `t31/args`. */
  readonly left: readonly UseKey[];
}

/** The figures of an epoch layout for one call. Tokens are estimated. */
export interface EpochFigures extends EpochPlace {
  /** Whether this call began the epoch. */
  readonly isNew: boolean;
  /** Tokens of the dead content in view. */
  readonly deadTokens: number;
  /**
   * Price paid so far for sending dead content again, and price of ending the epoch now, in tokens of uncached input.
   */
  readonly carried: number;
  readonly rewrite: number;
  /** Tokens of all messages. This figure and the next three are before calibration. */
  readonly promptTokens: number;
  /** Tokens at the start that were sent before, unchanged. */
  readonly sharedTokens: number;
  /**
   * Tokens at the start that the provider can read from its cache: where it needs breakpoints, those up to one that an
   * earlier request had. At most `sharedTokens`.
   */
  readonly cachedTokens: number;
  /** Tokens that this prompt would have with every output kept where it arrived. */
  readonly appendOnlyTokens: number;
}

/**
 * When the content of an inactive object leaves the view: with the next call, when the epoch ends for another reason than
 * `outputs`, or never. Content that never leaves has about as few tokens as the line that would replace it. `mayStay`:
 * other text of the object is in such short contents or in the arguments of calls, and does not leave with the content.
 */
export type Departure =
  | { readonly when: "next-call" | "epoch-end"; readonly mayStay?: true }
  | { readonly when: "never"; readonly tokens: number };

/**
 * Why an epoch ended. `carried`: the carried cost reached its share of the rewrite cost. `outputs`: the same for the
 * middles of long outputs, and nothing else left. `cold`: the provider's cache held nothing of the session. `budget`: the
 * view exceeded the budget, a view that was cut may be larger now, or the user went back to a message that had left for
 * it. `late-result`: a result arrived after later messages. `compaction`: the user compacted the chat. `thinking`: the
 * view contains signed thinking of another model, or the text before the messages has changed, and the model binds its
 * thinking to both. `returned`: messages that an extension of the host had left out are back. `unfolded`: the user asked for
 * folded work.
 */
export type EpochEnd =
  | "carried"
  | "outputs"
  | "cold"
  | "budget"
  | "late-result"
  | "compaction"
  | "thinking"
  | "returned"
  | "unfolded"
  | "forgotten";

/**
 * Arranges chat, pool and active objects into the messages of a view. A layout is pure: the same input and record give
 * the same bytes.
 *
 * Laws, tested for every layout on sessions that grow call by call:
 *
 * - `output-is-legal`: each tool call has exactly one result, directly after its message and in order. No result is
 *   without its call, no content is empty, and the first message is a user message. Answers are unchanged, including
 *   thinking and signatures, with three exceptions. Argument stubs, which state a number of characters, can replace texts
 *   in arguments: a text as a whole, a run of removed lines in a patch, or all of a long text but its beginning. For a
 *   model that binds its thinking, an answer's signed thinking can be left out as a whole. Of turns before the newest
 *   user message, all thinking can be left out.
 * - `bound-thinking-stays-valid`: for a model that binds its thinking, an answer is shown with its signed thinking only
 *   if all messages before it are those of the view that it answered, apart from thinking, and if the signed thinking
 *   before it is the same as in that view, or none.
 * - `left-out-is-not-shown`: a message of the chat that `leftOut` names is not in the view. Instead of a result whose call
 *   is shown, there is the note that the call has no result, or its reference line.
 * - `newest-user-message-is-there`: the newest user message is shown whole if it fits the budget, otherwise in part. A
 *   notice that replaces other turns is before it.
 * - `active-is-shown`: as far as the budget allows, the contents of the active objects can be read in their newest
 *   version that the session may show: whole, as an older version with a diff, or as an older version with the calls that
 *   changed it. No line of them is shown twice, unless the user says it. `deactivated` names the active objects whose content left the view.
 * - `loaded-is-named`: an object that a program has loaded as inactive is named by a line or by the header of its content,
 *   as far as the budget allows.
 * - `budget-holds`: the estimated tokens of the messages do not exceed the budget.
 * - `own-lines-are-known`: outside of fences, each line that is not from a message of the chat is of a kind in `lines/`.
 *   A tool's output with a line of such a kind is inside a fence. The header in an output that a context tool composes is
 *   of such a kind; a layout cannot check it, so the tests of the session do.
 * - `nothing-volatile`: the same input and record give the same bytes, also in a new process. No time, no counter and
 *   no new id is rendered.
 * - `rebuild-is-identical`: a view can be rendered again byte for byte from its record and the versions that `describe`
 *   names.
 * - `lost-versions-are-left-out`: if some of these versions are lost, the messages that do not need them can still be
 *   rendered: from the record that `without` returns, or entry by entry if the layout lacks `without`.
 *
 * Laws of layouts with epochs:
 *
 * - `sent-bytes-stay`: sent messages change only when an epoch ends, and messages before the first removed content
 *   never change. The epoch's figures state how many tokens are unchanged.
 * - `cached-was-marked`: if the provider's cache needs breakpoints, the figures count as cached only what ended at a boundary
 *   of an earlier view since the cache was last cold, if a boundary of this view is there or at most 20 messages behind.
 * - `an-end-is-justified`: an epoch ends only for one of the reasons of `EpochEnd`. If the model binds its thinking, an
 *   epoch does not end within a turn by `carried` or `cold` when thinking would be lost, unless the settings let dead
 *   content leave at once.
 * - `an-end-leaves-room`: after an end by the budget, a view fills at most the share `filledShare` of it. More is filled
 *   only if no turn is there but the newest, and no content that could leave: the newest turn, pinned contents and those
 *   that were just activated or have just arrived need it.
 * - `fresh-is-whole`: unless the settings say `freshOutputs: "ends"`, an active output of a tool that the model has not
 *   answered is shown whole, as far as the budget allows.
 * - `free-texts-leave-behind-the-cut`: texts that leave without a decision of the policy, when an epoch ends, change no
 *   message before the first one that changes without them.
 * - `fold-only-at-an-end`: steps are folded only when an epoch ends.
 * - `folded-is-named`: a fold counts the calls of its steps, and names the files that they read, edited and wrote and the
 *   calls that failed, as far as a row has room. Its steps are finished, before its answer and not shown. Calls without a
 *   result and pinned contents are in none. Its text ends with a line feed.
 * - `summary-never-replaces-the-store`: the summary of a turn that a model wrote is a further line of the turn's fold, or has
 *   the place of the words in the line of a turn that left. It changes no view within an epoch, and a fold with it names
 *   the same as without it.
 * - `removed-content-is-named`: a reference line, or a fold of its step, replaces each object that left the view. It has at most 17 tokens
 *   without the fields that the object's own `view` adds. A long text of the user keeps its ends, and an omission mark of
 *   at most 22 tokens between them names its object; a line replaces an image or another file of the user. One notice
 *   replaces whole turns that left. The header of a content block has at most 12 tokens. A name with letters that are not
 *   ASCII has at most 40 columns instead.
 * - `departure-is-as-reported`: the content of an inactive object leaves a view when `departureOf` says. If the settings
 *   let deactivated content leave at once, an output of any size leaves. Content that
 *   stays is in each later view that does not replace or omit whole messages. The result of a change of a file can
 *   leave with the version of the file that it replaces. A long part of the newest user message stays until another
 *   message is the newest. If content leaves and a short content of the object or a call
 *   that changed it stays, `departureOf` reports this, and else not.
 *
 * Laws of layouts with a list of known objects:
 *
 * - `no-former-content`: an active object of which the session may show only a former content is `replaced`: that content
 *   is not in the view, and a line reports the newer version. Only the budget lets that line leave.
 * - `pool-entries-never-change`: the lines of the list never change. A new or changed object gets a line at its end, and
 *   the last line of each known object shows its current metadata. Only the budget lets lines leave, the first ones
 *   first, and only lines that left for it return.
 */
export interface Layout {
  readonly name: string;
  /** Tokens from which on the arguments of a write or an edit can leave the view; undefined if they never leave. */
  readonly largeArguments?: number;
  /**
   * Whether an active file that others have changed is shown in its newest version at once. Default: false; a small
   * change is shown as a diff, and a larger one is reported.
   */
  readonly followsFiles?: boolean;
  render(input: LayoutInput, last?: ViewRecord): LayoutOutput;
  /**
   * Renders the messages of a recorded view again. The source has the versions that `describe` names. Throws a
   * `RangeError` that names a version which the source does not have.
   */
  rebuild(record: ViewRecord, source: ViewSource): readonly ViewMessage[];
  /** Describes a record of this layout for a person, and names every version that `rebuild` reads. */
  describe(record: ViewRecord): readonly DescribedEntry[];
  /**
   * Returns the epoch of a record, or undefined for a record of another layout. Layouts without epochs lack this
   * function.
   */
  epochOf?(record: ViewRecord): EpochPlace | undefined;
  /**
   * Returns what happens to the content of an object in a sent view when the object becomes inactive; undefined if no
   * content of it is in the view. `changes` are the places of the calls that changed it. A layout lacks it if inactive
   * content always leaves with the next call.
   */
  departureOf?(
    record: ViewRecord,
    handle: string,
    changes: readonly MessagePlace[],
  ): Departure | undefined;
  /**
   * Returns a record without lost versions, each `handle@version`, from which the remaining messages can be rendered.
   * A layout lacks it if each entry of its records is one message: then entries are rendered one by one.
   */
  without?(record: ViewRecord, lost: ReadonlySet<string>): ViewRecord;
  /**
   * Returns the versions, as `handle@version`, that are needed to continue from a record, without the active ones.
   * `isLatest` returns whether the pool has the metadata of a version, which is enough for a line.
   */
  needs?(
    record: ViewRecord,
    active: readonly ActiveObject[],
    isLatest?: (handle: string, version: number) => boolean,
  ): readonly string[];
}
