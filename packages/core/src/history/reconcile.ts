import { beforeFirstTurn, isAfter, positionBefore, type TurnPosition } from "../chat/turn.ts";
import type { MessageCodec, MessageIdentity } from "../host/message-codec.ts";
import {
  chatRoles,
  identify,
  isSame,
  type KnownMessage,
  messageKeys,
} from "../host/message-identity.ts";

/** What a host's sequence of messages is, compared with the one that is known (design §6.2). */
export type Reconciliation =
  | { readonly type: "appended"; readonly unseen: readonly UnseenMessage[] }
  | {
      readonly type: "replaced";
      readonly unseen: readonly UnseenMessage[];
      /** The messages are the beginning of the known sequence and no more. */
      readonly isShorter: boolean;
    }
  | {
      readonly type: "rewound";
      readonly to: TurnPosition;
      /** From this index on the messages are new, whatever they go by; undefined where names tell. */
      readonly newFrom?: number;
      readonly unseen: readonly UnseenMessage[];
    };

/** A message that is to be taken in, by its index in the host's sequence. */
export interface UnseenMessage {
  readonly index: number;
  readonly identity: MessageIdentity;
  readonly key: string;
}

export interface ReconcileInput<Raw> {
  readonly messages: readonly Raw[];
  readonly codec: MessageCodec<Raw>;
  /** The sequence as the host last gave it, in order. */
  readonly sequence: readonly KnownMessage[];
  /** Where the chat ends; the sequence ends there too unless told. */
  readonly end?: TurnPosition;
  /** Every message of the chat by key, those that the host no longer sends included. */
  readonly known: ReadonlyMap<string, KnownMessage>;
  /** Whether the message at a place in the known sequence is one that counts for nothing (failed or aborted). */
  readonly isDiscarded: (known: KnownMessage) => boolean;
  /** Whether a user's message with the name of a known one has another text. */
  readonly isOtherPrompt?: (known: KnownMessage, raw: Raw) => boolean;
  /** The host said that the user went back (tree, fork). */
  readonly rewound?: boolean;
}

/**
 * Compares a host's messages with the known sequence by key. A shorter sequence alone is never a rewind
 * (decision D52): that takes a new user's message where another one stood, or the host's word.
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
 * The newest prompt, where its name is that of an abandoned prompt with another text: two prompts can have the same
 * millisecond. Only a list that does not continue the known one is examined, because hosts may alter what they resend.
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

/** Whether the host's list ended before the chat does, as after messages that the host lost. */
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

/** Where the chat is to be cut, or undefined where it goes on. */
function rewindPoint<Raw>(
  input: ReconcileInput<Raw>,
  identities: readonly MessageIdentity[],
  shared: number,
): TurnPosition | undefined {
  const { known, isDiscarded } = input;
  const keys = messageKeys(identities);
  const begin = beginOfChat(identities, keys, known);
  // A result of a known call is no other way to go on: it may have come in just before the session ended.
  const isNew = (key: string, index: number): boolean =>
    index >= begin && !known.has(key) && identities[index]?.role !== "toolResult";
  const firstNew = keys.findIndex(isNew);
  const end = firstNew === -1 ? keys.length : firstNew;
  const point = lastPosition(keys.slice(0, end), known) ?? pointBeforeOmitted(input, keys, shared);
  if (point === undefined || input.rewound === true) return point;
  const isContinued = keys.slice(end).some((key) => known.has(key));
  // A message of the host's own kind may come before the prompt.
  const speaker = identities.slice(end).find(({ role }) => chatRoles.has(role));
  if (speaker?.role !== "user" || isContinued) return undefined;
  const abandoned = [...known.values()].filter(({ position }) => isAfter(position, point));
  return abandoned.every((one) => isDiscarded(one)) ? undefined : point;
}

/** Where the chat begins after what only the host knows: a summary in front of it says nothing about what follows. */
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
 * With nothing of the chat before the new message: right before what the host left out, after a summary or where it says
 * that the user went back. Nobody knows what a summary stands for that the chat does not hold.
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
    // Without the summary that stood in front the list is whole.
    if (sequence[0]?.position === undefined) return beforeFirstTurn;
  }
  const omitted = sequence.slice(shared).find(({ position }) => position !== undefined);
  return omitted?.position === undefined ? undefined : positionBefore(omitted.position);
}
