import { beforeFirstTurn, isAfter, positionBefore, type TurnPosition } from "../chat/turn.ts";
import type { MessageIdentity } from "../host/message-codec.ts";
import { chatRoles, type KnownMessage, messageKeys } from "../host/message-identity.ts";
import type { ReadMessage } from "../host/read-list.ts";
import { commonStart, isNamed, keysOf } from "./known-keys.ts";

/** The relation of a host's message list to the ingested one. */
export type Reconciliation = Relation & {
  readonly unseen: readonly UnseenMessage[];
  /** Returns the key of each message of the list, known or new. */
  readonly keys: () => readonly string[];
};

type Relation =
  | { readonly type: "appended" }
  | {
      readonly type: "replaced";
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
    };

/** A message to ingest, with its index in the host's list. */
export interface UnseenMessage {
  readonly index: number;
  readonly identity: MessageIdentity;
  readonly key: string;
}

export interface ReconcileInput {
  readonly messages: readonly ReadMessage[];
  /** The identities of the messages. */
  readonly identities: readonly MessageIdentity[];
  /** The host's list as it was last ingested. */
  readonly sequence: readonly KnownMessage[];
  /** The end of the chat. Default: the end of the sequence. */
  readonly end?: TurnPosition;
  /** All messages of the chat by key, including those that the host no longer sends. */
  readonly known: ReadonlyMap<string, KnownMessage>;
  /** Whether a known message is a failed or aborted answer. */
  readonly isDiscarded: (known: KnownMessage) => boolean;
  /** Whether a user's message has the key of a known one and a different content. */
  readonly isOtherPrompt?: (known: KnownMessage, message: ReadMessage) => boolean;
  /** Whether the host reports that the user went back, in the tree or by a fork. */
  readonly rewound?: boolean;
}

/**
 * Compares a host's messages with the known sequence by key. A shorter list alone is never a rewind, because a harness
 * shortens its list for reasons of its own (decision D52). A rewind needs a new user message at the place of another
 * one, or a report of the host.
 */
export function reconcile(input: ReconcileInput): Reconciliation {
  const prompt = reusedName(input);
  if (prompt !== undefined) {
    const known = new Map(input.known);
    known.delete(prompt.key);
    const other = { ...input, known };
    const result = compare(other, keysOnce(other), prompt.index);
    return result.type === "rewound" ? { ...result, newFrom: prompt.index } : result;
  }
  const keys = keysOnce(input);
  return compare(input, keys, knownPrefix(input, keys));
}

/** Returns a function for the keys of a list, which are found when they are first needed. */
function keysOnce(input: ReconcileInput): Reconciliation["keys"] {
  let keys: readonly string[] | undefined;
  return () => (keys ??= keysOf(input.identities, input, input.rewound));
}

/** `shared`: the number of messages with which both the host's list and the known one begin. */
function compare(
  input: ReconcileInput,
  keys: Reconciliation["keys"],
  shared: number,
): Reconciliation {
  const { messages, identities, sequence } = input;
  const unseen = keysFrom(identities, keys, shared).flatMap((key, at): readonly UnseenMessage[] => {
    const index = shared + at;
    const identity = identities[index];
    return identity === undefined || input.known.has(key) ? [] : [{ index, identity, key }];
  });
  const result = { unseen, keys };
  if (shared === sequence.length && !isBehind(input)) return { type: "appended", ...result };
  const isShorter = shared === messages.length;
  if (isShorter && input.rewound !== true) return { type: "replaced", ...result, isShorter };
  const point = rewindPoint(input, keys(), shared);
  return point === undefined
    ? { type: "replaced", ...result, isShorter }
    : { type: "rewound", to: point, ...result };
}

/** Returns the keys of the messages from an index on. Of messages with ids or times, the earlier ones are not needed. */
function keysFrom(
  identities: readonly MessageIdentity[],
  keys: Reconciliation["keys"],
  from: number,
): readonly string[] {
  if (from >= identities.length) return [];
  return identities.every(isNamed) ? messageKeys(identities, from) : keys().slice(from);
}

/**
 * Returns the newest prompt if it has the key of an abandoned one: two prompts can have the same timestamp. Only a list
 * that does not continue the known one is examined, because hosts can change messages that they send again.
 */
function reusedName({
  messages,
  identities,
  sequence,
  known,
  isOtherPrompt,
  rewound,
}: ReconcileInput): { readonly index: number; readonly key: string } | undefined {
  if (isOtherPrompt === undefined) return undefined;
  if (rewound !== true && messages.length >= sequence.length) return undefined;
  const index = identities.findLastIndex(({ role }) => role === "user");
  const prompt = identities[index];
  if (prompt === undefined || !isNamed(prompt)) return undefined;
  const [key] = messageKeys(identities.slice(0, index + 1), index);
  const before = key === undefined ? undefined : known.get(key);
  if (key === undefined || before === undefined) return undefined;
  return isOtherPrompt(before, messages[index] as ReadMessage) ? { index, key } : undefined;
}

/** Returns the number of messages with which both the host's list and the known one begin. */
function knownPrefix(
  { identities, sequence }: ReconcileInput,
  keys: Reconciliation["keys"],
): number {
  const shared = commonStart(identities, sequence);
  if (identities.every(isNamed)) return shared;
  const differs = sequence.slice(0, shared).findIndex(({ key }, index) => keys()[index] !== key);
  return differs === -1 ? shared : differs;
}

/** Whether the host's list ends before the chat does, as after messages that the host lost. */
function isBehind({ sequence, end }: ReconcileInput): boolean {
  const last = sequence.findLast(({ position }) => position !== undefined)?.position;
  return last !== undefined && isAfter(end, last);
}

/** Returns the position at which the chat is cut, or undefined if the chat continues. */
function rewindPoint(
  input: ReconcileInput,
  keys: readonly string[],
  shared: number,
): TurnPosition | undefined {
  const { identities, known, isDiscarded } = input;
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
function pointBeforeOmitted(
  { messages, sequence, known, rewound }: ReconcileInput,
  keys: readonly string[],
  shared: number,
): TurnPosition | undefined {
  if (shared === 0) {
    if (rewound !== true) return undefined;
    const from = known.get(keys[0] ?? "")?.summaryEnd;
    if (from !== undefined) return positionBefore(from);
    if (messages[0]?.decode().role === "summary") return undefined;
    // Without the summary that was in front, the list is complete.
    if (sequence[0]?.position === undefined) return beforeFirstTurn;
  }
  const omitted = sequence.slice(shared).find(({ position }) => position !== undefined);
  return omitted?.position === undefined ? undefined : positionBefore(omitted.position);
}
