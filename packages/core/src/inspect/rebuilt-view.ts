import type { ObjectId, VersionPoint, VersionProblem } from "@self-context-manager/objects";
import type { DescribedEntry } from "../view/describe-entries.ts";
import type { EpochEnd, ViewMessage } from "../view/layout.ts";
import type { ViewRecord } from "../view/view-record.ts";

/** A problem of a rebuilt view; `messages` if its messages differ from the sent ones. */
export type ViewProblem =
  | VersionProblem
  | {
      readonly id: ObjectId;
      readonly version: number;
      readonly type: "messages";
      readonly text: string;
    };

/** The description of a call from its view, without its messages. */
export interface CallSummary {
  readonly call: number;
  /** The version point of the view, which was stored before the call was sent. */
  readonly at: VersionPoint;
  readonly layout: string;
  /** The estimated tokens of the messages. */
  readonly tokens: number;
  /**
   * The epoch of the call, for an epoch layout: its number, the place of the call in it, the reason for the end of the
   * last epoch, and the objects that left the view then.
   */
  readonly epoch?: {
    readonly number: number;
    readonly call: number;
    readonly endedBy?: EpochEnd;
    readonly left: readonly string[];
  };
  /** The SHA-256 of the provider's payload; undefined if the host did not give it. */
  readonly payloadHash?: string;
}

/** A call in a list of calls. Only its own view was read, not the versions that the view names. */
export interface ListedCall extends CallSummary {
  /** The number of its messages; undefined if the layout does not record single messages. */
  readonly messages?: number;
  /** Problems of the view object itself. */
  readonly problems: readonly ViewProblem[];
}

/** A system prompt that was sent with a call. */
export interface SentPrompt {
  /** The origin: `host`, or `own` for that of the context manager. */
  readonly origin: string;
  readonly id: ObjectId;
  readonly version: number;
  readonly text: string;
}

/** The view of a model call, rebuilt from the store. */
export interface RebuiltView extends CallSummary {
  readonly systemPrompts: readonly SentPrompt[];
  /** The messages that the host got; undefined for a message that cannot be rebuilt. */
  readonly messages: readonly (ViewMessage | undefined)[];
  /** The entries of the messages, in order; for the pooled layout, the entries of the pools. */
  readonly entries: readonly DescribedEntry[];
  /** The ids of the objects that the entries name, by handle. */
  readonly ids: ReadonlyMap<string, ObjectId>;
  readonly record: ViewRecord;
  /**
   * Whether the messages are equal to the sent ones byte for byte, and every version that they name is undamaged; except for
   * what the user had forgotten since, which `problems` then says.
   */
  readonly isVerified: boolean;
  /** All problems, each once. */
  readonly problems: readonly ViewProblem[];
}
