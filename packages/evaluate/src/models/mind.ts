import type { Reply } from "../loopback/loopback-reply.ts";
import type { Move } from "../model/task.ts";
import type { HostTools, PlannedCall } from "./host-tools.ts";
import type { SeenMessage, SeenRequest } from "./seen-request.ts";

/** What a model for tests answers. It has a state: each request is the next one of the same agent. */
export interface Mind {
  answer(request: SeenRequest): Reply;
}

/** What a model for tests did with a request. */
export type Deed =
  | "move"
  | "answer"
  | "wrong-answer"
  | "mistake"
  | "look-up"
  | "search"
  | "recover"
  | "read-first"
  | "gave-up"
  | "repeat"
  | "no-tools"
  | "over-window"
  | "unknown-prompt";

/** One answer of a model for tests. */
export interface LogEntry {
  readonly deed: Deed;
  /** The index in `steps` of the prompt. Absent: the request belongs to none. */
  readonly step?: number;
  /** The index of the move that it makes or that it was for. */
  readonly move?: number;
  /** What it did, in one line: the call, the values that it used, or the reason. */
  readonly detail: string;
}

/** The request as a mind reads it for its next move. */
export interface Sight {
  readonly messages: readonly SeenMessage[];
  /** All texts of the messages, with the contents that differences and edits make. */
  readonly text: () => string;
  readonly tools: HostTools;
  /** The result of its last call. */
  readonly result?: SeenMessage;
}

/** The decision for a move of the task. */
export type Choice =
  /** The move, with values in place of its placeholders. */
  | { readonly type: "move"; readonly move: Move; readonly detail: string }
  /** A call that comes first, to see what the move needs. */
  | {
      readonly type: "detour";
      readonly deed: "look-up" | "search" | "recover" | "read-first";
      readonly call: PlannedCall;
      readonly detail: string;
    }
  /** The turn ends with this answer. */
  | { readonly type: "give-up"; readonly text: string; readonly detail: string };

/** How a model decides. It is asked again for the same move after each detour. */
export interface Chooser {
  /** Called when a prompt arrives. */
  begins(): void;
  choose(move: Move, sight: Sight): Choice;
  /** Called after each move, with its result. `false`: the same move is tried once more. */
  accepts(move: Move, result: SeenMessage | undefined): boolean;
}
