import type { ObjectId, VersionPoint, VersionProblem } from "@self-context-manager/objects";
import type { DescribedEntry } from "../view/describe-entries.ts";
import type { EpochEnd, ViewMessage } from "../view/layout.ts";
import type { ViewRecord } from "../view/view-record.ts";

/** What is wrong with a view that was made again; `messages` where they are not what was handed over. */
export type ViewProblem =
  | VersionProblem
  | {
      readonly id: ObjectId;
      readonly version: number;
      readonly type: "messages";
      readonly text: string;
    };

/** A call as its view tells it, without its messages. */
export interface CallSummary {
  readonly call: number;
  /** The transaction that the view was stored with, before the call went out. */
  readonly at: VersionPoint;
  readonly layout: string;
  /** Estimated tokens of the messages. */
  readonly tokens: number;
  /** Of an epoch layout: its number, the call's place in it, why the one before ended, and what left then. */
  readonly epoch?: {
    readonly number: number;
    readonly call: number;
    readonly endedBy?: EpochEnd;
    readonly left: readonly string[];
  };
  /** SHA-256 of the provider's payload, where the host showed it. */
  readonly payloadHash?: string;
}

/** A call as a list of calls has it: what its own view says, and nothing of what that names was looked at. */
export interface ListedCall extends CallSummary {
  /** How many messages it had, where the layout keeps them one by one. */
  readonly messages?: number;
  /** What is wrong with the view itself. */
  readonly problems: readonly ViewProblem[];
}

/** A system prompt as it went with a call. */
export interface SentPrompt {
  /** `host` or `own`. */
  readonly origin: string;
  readonly id: ObjectId;
  readonly version: number;
  readonly text: string;
}

/** What a model call saw, made again from the store. */
export interface RebuiltView extends CallSummary {
  readonly systemPrompts: readonly SentPrompt[];
  /** As they were handed to the host; undefined in the place of one that can no longer be made. */
  readonly messages: readonly (ViewMessage | undefined)[];
  /** What each message was made from, in order; of the pooled layout what the pools held. */
  readonly entries: readonly DescribedEntry[];
  /** The ids of what the entries name by handle. */
  readonly ids: ReadonlyMap<string, ObjectId>;
  readonly record: ViewRecord;
  /** Whether the messages are byte for byte what was handed over, and every version that they name is unharmed. */
  readonly isVerified: boolean;
  /** Everything that is not as it was, each once. */
  readonly problems: readonly ViewProblem[];
}
