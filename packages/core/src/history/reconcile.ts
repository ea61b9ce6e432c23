import { beforeFirstTurn, isAfter, positionBefore, type TurnPosition } from "../chat/turn.ts";
import type { MessageCodec, MessageIdentity } from "../host/message-codec.ts";
import {
  chatRoles,
  identify,
  isSame,
  type KnownMessage,
  messageKeys,
} from "../host/message-identity.ts";

/** The relation of a host's message list to the ingested one. */
export type Reconciliation =
  | { readonly type: "appended"; readonly unseen: readonly UnseenMessage[] }
  | {
      readonly type: "replaced";
      readonly unseen: readonly UnseenMessage[];
      /** Whether the messages are only a beginning of the known sequence. */
      readonly isShorter: boolean;
    }
  | {
      readonly type: "rewound";
      readonly to: TurnPosition;
      /**
       * The index from which all messages are new, whatever their keys are; undefined if the keys identify the new
       * messages.
       */
      readonly newFrom?: number;
      readonly unseen: readonly UnseenMessage[];
    };

/** A message to ingest, with its index in the host's list. */
export interface UnseenMessage {
  readonly index: number;
  readonly identity: MessageIdentity;
  readonly key: string;
}

export interface ReconcileInput<Raw> {
  readonly messages: readonly Raw[];
  readonly codec: MessageCodec<Raw>;
  /** The host's list as it was last ingested. */
  readonly sequence: readonly KnownMessage[];
  /** The end of the chat. Default: the end of the sequence. */
  readonly end?: TurnPosition;
  /** All messages of the chat by key, including those that the host no longer sends. */
  readonly known: ReadonlyMap<string, KnownMessage>;
  /** Whether a known message is a failed or aborted answer. */
  readonly isDiscarded: (known: KnownMessage) => boolean;
  /** Whether a user's message has the key of a known one and a different content. */
  readonly isOtherPrompt?: (known: KnownMessage, raw: Raw) => boolean;
  /** Whether the host reports that the user went back, in the tree or by a fork. */
  readonly rewound?: boolean;
}

/**
 * Compares a host's messages with the known sequence by key. A shorter list alone is never a rewind, because a harness
 * shortens its list for reasons of its own (decision D52). A rewind needs a new user message at the place of another
 * one, or a report of the host.
 */
export function reconcile<Raw>(input: ReconcileInput<Raw>): Reconciliation {
  const { messages, codec, sequence } = input;
  const identities = messages.map((raw) => identify(raw, codec));
  const prompt = reusedName(input, identities);
  if (prompt !== undefined) {
    const known = new Map(input.known);
    known.delete(prompt.key);
    const result = compare({ ...input, known }, identities, prompt.index);
    return result.type === "rewound" ? { ...result, newFrom: prompt.index } : result;
  }
  return compare(input, identities, commonPrefix(identities, sequence));
}

function compare<Raw>(
  input: ReconcileInput<Raw>,
  identities: readonly MessageIdentity[],
  shared: number,
): Reconciliation {
  const { messages, sequence } = input;
  const unseen = unseenFrom(identities, shared, input.known);
  if (shared === sequence.length && !isBehind(input)) return { type: "appended", unseen };
  const isShorter = shared === messages.length;
  if (isShorter && input.rewound !== true) return { type: "replaced", unseen, isShorter };
  const point = rewindPoint(input, identities, shared);
  return point === undefined
    ? { type: "replaced", unseen, isShorter }
    : { type: "rewound", to: point, unseen };
}

/**
 * Returns the newest prompt if it has the key of an abandoned one: two prompts can have the same timestamp. Only a list
 * that does not continue the known one is examined, because hosts can change messages that they send again.
 */
function reusedName<Raw>(
  { messages, sequence, known, isOtherPrompt, rewound }: ReconcileInput<Raw>,
  identities: readonly MessageIdentity[],
): { readonly index: number; readonly key: string } | undefined {
  if (isOtherPrompt === undefined) return undefined;
  if (rewound !== true && messages.length >= sequence.length) return undefined;
  const index = identities.findLastIndex(({ role }) => role === "user");
  const [key] = index === -1 ? [] : messageKeys(identities.slice(0, index + 1), index);
  const before = key === undefined ? undefined : known.get(key);
  if (key === undefined || before === undefined) return undefined;
  return isOtherPrompt(before, messages[index] as Raw) ? { index, key } : undefined;
}

function commonPrefix(
  identities: readonly MessageIdentity[],
  sequence: readonly KnownMessage[],
): number {
  const length = Math.min(identities.length, sequence.length);
  for (let index = 0; index < length; index += 1) {
    const left = identities[index];
    const right = sequence[index]?.identity;
    if (left === undefined || right === undefined || !isSame(left, right)) return index;
  }
  return length;
}

/** Whether the host's list ends before the chat does, as after messages that the host lost. */
function isBehind<Raw>({ sequence, end }: ReconcileInput<Raw>): boolean {
  const last = sequence.findLast(({ position }) => position !== undefined)?.position;
  return last !== undefined && isAfter(end, last);
}

function unseenFrom(
  identities: readonly MessageIdentity[],
  from: number,
  known: ReadonlyMap<string, KnownMessage>,
): UnseenMessage[] {
  const unseen: UnseenMessage[] = [];
  if (from >= identities.length) return unseen;
  const keys = messageKeys(identities, from);
  for (let index = from; index < identities.length; index += 1) {
    const identity = identities[index];
    const key = keys[index - from];
    if (identity !== undefined && key !== undefined && !known.has(key))
      unseen.push({ index, identity, key });
  }
  return unseen;
}

/** Returns the position at which the chat is cut, or undefined if the chat continues. */
function rewindPoint<Raw>(
  input: ReconcileInput<Raw>,
  identities: readonly MessageIdentity[],
  shared: number,
): TurnPosition | undefined {
  const { known, isDiscarded } = input;
  const keys = messageKeys(identities);
  const begin = beginOfChat(identities, keys, known);
  // A result of a known call does not begin a branch: it can have arrived just before the session ended.
  const isNew = (key: string, index: number): boolean =>
    index >= begin && !known.has(key) && identities[index]?.role !== "toolResult";
  const firstNew = keys.findIndex(isNew);
  const end = firstNew === -1 ? keys.length : firstNew;
  const point = lastPosition(keys.slice(0, end), known) ?? pointBeforeOmitted(input, keys, shared);
  if (point === undefined || input.rewound === true) return point;
  const isContinued = keys.slice(end).some((key) => known.has(key));
  // An opaque message can precede the prompt.
  const speaker = identities.slice(end).find(({ role }) => chatRoles.has(role));
  if (speaker?.role !== "user" || isContinued) return undefined;
  const abandoned = [...known.values()].filter(({ position }) => isAfter(position, point));
  return abandoned.every((one) => isDiscarded(one)) ? undefined : point;
}

/**
 * Returns the index at which the chat begins, after messages that only the host knows. A summary in front of the chat
 * gives no information about what follows.
 */
function beginOfChat(
  identities: readonly MessageIdentity[],
  keys: readonly string[],
  known: ReadonlyMap<string, KnownMessage>,
): number {
  const begin = keys.findIndex((key) => known.has(key));
  const before = identities.slice(0, Math.max(0, begin));
  return before.some(({ role }) => chatRoles.has(role)) ? 0 : before.length;
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
function pointBeforeOmitted<Raw>(
  { messages, codec, sequence, known, rewound }: ReconcileInput<Raw>,
  keys: readonly string[],
  shared: number,
): TurnPosition | undefined {
  if (shared === 0) {
    if (rewound !== true) return undefined;
    const from = known.get(keys[0] ?? "")?.summaryEnd;
    if (from !== undefined) return positionBefore(from);
    if (messages.length > 0 && codec.decode(messages[0] as Raw).role === "summary")
      return undefined;
    // Without the summary that was in front, the list is complete.
    if (sequence[0]?.position === undefined) return beforeFirstTurn;
  }
  const omitted = sequence.slice(shared).find(({ position }) => position !== undefined);
  return omitted?.position === undefined ? undefined : positionBefore(omitted.position);
}
