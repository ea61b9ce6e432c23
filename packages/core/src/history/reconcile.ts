import { beforeFirstTurn, isAfter, positionBefore, type TurnPosition } from "../chat/turn.ts";
import { chatRoles, type KnownMessage } from "../host/message-identity.ts";
import type { ReadMessage } from "../host/read-list.ts";
import type { RecognisedList } from "./recognise-list.ts";

/** The relation of a host's message list to the ingested one. */
export type Reconciliation = Relation & {
  readonly unseen: readonly UnseenMessage[];
};

type Relation =
  | { readonly type: "appended" }
  | {
      readonly type: "replaced";
      /** Whether the messages are only a beginning of the known sequence. */
      readonly isShorter: boolean;
    }
  | { readonly type: "rewound"; readonly to: TurnPosition };

/** A message to ingest, with its index in the host's list and its key among the known messages. */
interface UnseenMessage {
  readonly index: number;
  readonly read: ReadMessage;
  readonly key: string;
}

export interface ReconcileOptions {
  /** The end of the chat. Default: the end of the known sequence. */
  readonly end?: TurnPosition;
  /** Whether the host reports that the user went back, in the tree or by a fork. Default: false. */
  readonly rewound?: boolean;
}

/**
 * Compares a host's messages with the known sequence by key. A shorter list alone is never a rewind, because a harness
 * shortens its list for reasons of its own (decision D52). A rewind needs a new user message at the place of another
 * one, or a report of the host.
 */
export function reconcile(list: RecognisedList, options: ReconcileOptions = {}): Reconciliation {
  const { messages, shared, keysBehind } = list;
  const { sequence, known } = list.known;
  const unseen = keysBehind.flatMap((key, at): readonly UnseenMessage[] => {
    const index = shared + at;
    const read = messages[index];
    return read === undefined || known.has(key) ? [] : [{ index, read, key }];
  });
  if (shared === sequence.length && !isBehind(sequence, options.end))
    return { type: "appended", unseen };
  const isShorter = shared === messages.length;
  if (isShorter && options.rewound !== true) return { type: "replaced", unseen, isShorter };
  const point = rewindPoint(list, options.rewound === true);
  return point === undefined
    ? { type: "replaced", unseen, isShorter }
    : { type: "rewound", to: point, unseen };
}

/** Whether the host's list ends before the chat does, as after messages that the host lost. */
function isBehind(sequence: readonly KnownMessage[], end: TurnPosition | undefined): boolean {
  const last = sequence.findLast(({ position }) => position !== undefined)?.position;
  return last !== undefined && isAfter(end, last);
}

/** Returns the position at which the chat is cut, or undefined if the chat continues. */
function rewindPoint(list: RecognisedList, isReported: boolean): TurnPosition | undefined {
  const { messages } = list;
  const { known, isDiscarded } = list.known;
  const keys = list.keys();
  const begin = beginOfChat(messages, keys, known);
  // A result of a known call does not begin a branch: it can have arrived just before the session ended.
  const isNew = (key: string, index: number): boolean =>
    index >= begin && !known.has(key) && messages[index]?.identity.role !== "toolResult";
  const firstNew = keys.findIndex(isNew);
  const end = firstNew === -1 ? keys.length : firstNew;
  const point = lastPosition(keys.slice(0, end), known) ?? pointBeforeOmitted(list, isReported);
  if (point === undefined || isReported) return point;
  const isContinued = keys.slice(end).some((key) => known.has(key));
  // An opaque message can precede the prompt.
  const speaker = messages.slice(end).find(({ identity }) => chatRoles.has(identity.role));
  if (speaker?.identity.role !== "user" || isContinued) return undefined;
  const abandoned = [...known.values()].filter(({ position }) => isAfter(position, point));
  return abandoned.every((one) => isDiscarded(one)) ? undefined : point;
}

/**
 * Returns the index at which the chat begins, after messages that only the host knows. A summary in front of the chat
 * gives no information about what follows.
 */
function beginOfChat(
  messages: readonly ReadMessage[],
  keys: readonly string[],
  known: ReadonlyMap<string, KnownMessage>,
): number {
  const begin = keys.findIndex((key) => known.has(key));
  const before = messages.slice(0, Math.max(0, begin));
  return before.some(({ identity }) => chatRoles.has(identity.role)) ? 0 : before.length;
}

function lastPosition(
  keys: readonly string[],
  known: ReadonlyMap<string, KnownMessage>,
): TurnPosition | undefined {
  const last = keys.findLast((key) => known.get(key)?.position !== undefined);
  return last === undefined ? undefined : known.get(last)?.position;
}

/**
 * Returns the position right before the first removed message, if the list has no chat message before the new one. This
 * applies after a summary, and when the host reports that the user went back. The chat does not contain the messages
 * that a summary replaces, so their position is unknown.
 */
function pointBeforeOmitted(
  { messages, shared, keys, known: { sequence, known } }: RecognisedList,
  isReported: boolean,
): TurnPosition | undefined {
  if (shared === 0) {
    if (!isReported) return undefined;
    const from = known.get(keys()[0] ?? "")?.summaryEnd;
    if (from !== undefined) return positionBefore(from);
    if (messages[0]?.decode().role === "summary") return undefined;
    // Without the summary that was in front, the list is complete.
    if (sequence[0]?.position === undefined) return beforeFirstTurn;
  }
  const omitted = sequence.slice(shared).find(({ position }) => position !== undefined);
  return omitted?.position === undefined ? undefined : positionBefore(omitted.position);
}
