import { commonLength, groupsOf, madeOnce } from "@self-context-manager/objects";
import type { MessageIdentity } from "../host/message-codec.ts";
import type { KnownMessage } from "../host/message-identity.ts";
import type { ReadMessage } from "../host/read-list.ts";
import { keysAmong } from "./known-keys.ts";
import type { KnownMessages } from "./known-messages.ts";

/** A host's list, compared with the messages that a session knows. */
export interface RecognisedList {
  readonly messages: readonly ReadMessage[];
  /** The messages with which it was compared. */
  readonly known: KnownMessages;
  /** The number of messages with which both the host's list and the known one begin. */
  readonly shared: number;
  /** The keys of the messages behind these. */
  readonly keysBehind: readonly string[];
  /**
   * The index from which all messages are new, whatever their keys are; undefined if the keys identify the new messages.
   */
  readonly newFrom: number | undefined;
  /** Returns the key of each message. */
  readonly keys: () => readonly string[];
}

export interface RecogniseOptions {
  /** Whether the host reports that the user went back, in the tree or by a fork. Default: false. */
  readonly rewound?: boolean;
  /**
   * Whether a user's message has the key of a known one and a different content. Default: no message has.
   */
  readonly isOtherPrompt?: (known: KnownMessage, message: ReadMessage) => boolean;
}

/**
 * Returns the key of each message of a host's list: that of the known message that it is, or the one that it gets as a
 * new message. A host's own id or time names a message wherever it is. Other messages are recognised by their place
 * among the known ones, because a host without ids can send the same words again as a new message: after the newest known
 * message, or as a prompt that has had its answer before. If the host reports that the user went back, such a prompt is
 * the earlier one.
 */
export function recogniseList(
  messages: readonly ReadMessage[],
  given: KnownMessages,
  options: RecogniseOptions = {},
): RecognisedList {
  const newFrom = otherPrompt(messages, given, options);
  const known = newFrom === undefined ? given : withoutKey(given, keysFrom(messages, newFrom)[0]);
  const begin = commonStart(messages, known.sequence);
  if (areNamed(messages)) {
    const shared = newFrom ?? begin;
    let all: readonly string[] | undefined;
    const keys = (): readonly string[] => (all ??= keysFrom(messages, 0));
    // A message before the shared ones has its name among the known keys, if it is the first one of that name.
    const isNew = (name: string): boolean => newFrom === undefined && !known.known.has(name);
    const keysBehind = keysFrom(messages, shared, isNew);
    return { messages, known, shared, newFrom, keys, keysBehind };
  }
  const named = keysFrom(
    messages.filter(({ isNamed }) => isNamed),
    0,
  ).values();
  const own = messages.map(({ isNamed }) => (isNamed ? named.next().value : undefined));
  const keys = keysAmong(messages, own, begin, known, options.rewound === true);
  const differs = known.sequence.slice(0, begin).findIndex(({ key }, at) => keys[at] !== key);
  const shared = newFrom ?? (differs === -1 ? begin : differs);
  return { messages, known, shared, newFrom, keys: () => keys, keysBehind: keys.slice(shared) };
}

/**
 * Returns the index of the newest prompt if it has the key of an abandoned one: two prompts can have the same timestamp.
 * Only a list that does not continue the known one is examined, because hosts can change messages that they send again.
 */
function otherPrompt(
  messages: readonly ReadMessage[],
  { sequence, known }: KnownMessages,
  { rewound, isOtherPrompt }: RecogniseOptions,
): number | undefined {
  if (isOtherPrompt === undefined) return undefined;
  if (rewound !== true && messages.length >= sequence.length) return undefined;
  const index = messages.findLastIndex(({ identity }) => identity.role === "user");
  const prompt = messages[index];
  if (prompt?.isNamed !== true) return undefined;
  const [key = ""] = keysFrom(messages.slice(0, index + 1), index);
  const before = known.get(key);
  return before !== undefined && isOtherPrompt(before, prompt) ? index : undefined;
}

function withoutKey(given: KnownMessages, key = ""): KnownMessages {
  const known = new Map(given.known);
  known.delete(key);
  return { ...given, known };
}

type NamedMessage = Pick<ReadMessage, "identity" | "key">;

/**
 * Returns the keys of messages that their host names, from an index on. Of messages with the same key, the later ones have
 * an ordinal. `isNew`: whether no message before the index is known to have a name. Default: nothing is known of any name.
 */
export function keysFrom(
  messages: readonly NamedMessage[],
  from: number,
  isNew: (name: string) => boolean = () => false,
): readonly string[] {
  const counts = new Map<string, number>();
  const few = messages.length - from <= fewMessages;
  const keys: string[] = [];
  for (let index = few ? from : 0; index < messages.length; index += 1) {
    const one = messages[index];
    if (one === undefined) continue;
    const name = one.key;
    const ordinal =
      counts.get(name) ?? (few && !isNew(name) ? countSame(messages, one.identity, from) : 0);
    counts.set(name, ordinal + 1);
    if (index >= from) keys.push(ordinal === 0 ? name : `${name} #${ordinal}`);
  }
  return keys;
}

/**
 * Number of new messages up to which earlier messages are compared with them instead of being counted. That is faster.
 */
const fewMessages = 32;

function countSame(
  messages: readonly NamedMessage[],
  wanted: MessageIdentity,
  before: number,
): number {
  let count = 0;
  for (let index = 0; index < before; index += 1) {
    const identity = messages[index]?.identity;
    if (identity !== undefined && isSame(identity, wanted)) count += 1;
  }
  return count;
}

const namedGroups = new WeakMap<readonly ReadMessage[], boolean>();

/** Whether an id or a time of the host names each message of a list. */
function areNamed(messages: readonly ReadMessage[]): boolean {
  return groupsOf(messages).every((group) => madeOnce(namedGroups, group, isWholeNamed));
}

function isWholeNamed(group: readonly ReadMessage[]): boolean {
  return group.every(({ isNamed }) => isNamed);
}

/** For a known list, to which messages are only added: the last list that was compared with it, and their beginning. */
const compared = new WeakMap<
  readonly KnownMessage[],
  { readonly list: WeakRef<readonly ReadMessage[]>; readonly begin: number }
>();

/** Returns the number of messages with which both a list and the known one begin, by their identities. */
function commonStart(messages: readonly ReadMessage[], sequence: readonly KnownMessage[]): number {
  const last = compared.get(sequence);
  const list = last?.list.deref() ?? [];
  const known = Math.min(last?.begin ?? 0, commonLength(groupsOf(messages), groupsOf(list)));
  const begin = sameFrom(known, messages, sequence);
  compared.set(sequence, { list: new WeakRef(messages), begin });
  return begin;
}

function sameFrom(
  from: number,
  messages: readonly ReadMessage[],
  sequence: readonly KnownMessage[],
): number {
  const length = Math.min(messages.length, sequence.length);
  for (let index = from; index < length; index += 1) {
    const left = messages[index]?.identity;
    const right = sequence[index]?.identity;
    if (left === undefined || right === undefined || !isSame(left, right)) return index;
  }
  return length;
}

/** Whether two identities are of the same message. Times are compared only if there are no keys. */
function isSame(left: MessageIdentity, right: MessageIdentity): boolean {
  if (left === right) return true;
  if (left.role !== right.role || left.callId !== right.callId || left.key !== right.key)
    return false;
  return left.key !== undefined || left.timestamp === right.timestamp;
}
