import { beforeFirstTurn, isAfter, type TurnPosition } from "../chat/turn.ts";
import type { MessageIdentity } from "../host/message-codec.ts";
import {
  isSame,
  keyName,
  type KnownMessage,
  messageKeys,
  namesOneMessage,
  uniqueKey,
} from "../host/message-identity.ts";
import { alignNames, alignWithin } from "./align-names.ts";

/** The messages of a host that a session knows. */
export interface KnownMessages {
  /** The host's list as it was last ingested. */
  readonly sequence: readonly KnownMessage[];
  /** All messages of the chat by key, in the order in which they came, including those that the host no longer sends. */
  readonly known: ReadonlyMap<string, KnownMessage>;
  /** Whether a known message is a failed or aborted answer. */
  readonly isDiscarded: (known: KnownMessage) => boolean;
}

/**
 * Returns the key of each message of a host's list: that of the known message that it is, or the one that it gets as a
 * new message. A host's own id or time names a message wherever it is. Other messages are recognised by their place
 * among the known ones, because a host without ids can send the same words again as a new message: after the newest known
 * message, or as a prompt that has had its answer before. `isRewound`: the host reports that the user went back, so such
 * a prompt is the earlier one.
 */
export function keysOf(
  identities: readonly MessageIdentity[],
  given: KnownMessages,
  isRewound = false,
): readonly string[] {
  if (identities.every(isNamed)) return messageKeys(identities);
  const messages = { ...given, known: inChatOrder(given.known) };
  const named = messageKeys(identities.filter(isNamed)).values();
  const keys = identities.map((one) => (isNamed(one) ? named.next().value : undefined));
  const found = findMessages(identities, messages, isRewound).map((one, index) => {
    const key = keys[index];
    return key === undefined ? one : messages.known.get(key);
  });
  const taken = new Map(messages.known);
  return withResults(identities, found, messages).map((one, index) => {
    const identity = identities[index] as MessageIdentity;
    const key = keys[index] ?? one?.key ?? uniqueKey(taken, { identity, position: undefined });
    taken.set(key, { identity, key, position: undefined });
    return key;
  });
}

/** Returns known messages in the order of the chat. A result that came late was added behind later messages. */
function inChatOrder(known: KnownMessages["known"]): KnownMessages["known"] {
  let last = beforeFirstTurn;
  for (const { position = beforeFirstTurn } of known.values()) {
    // Nearly always the order is right, and a copy of a long chat at each call costs time.
    if (compare(last, position) > 0) return sorted(known);
    last = position;
  }
  return known;
}

function sorted(known: KnownMessages["known"]): KnownMessages["known"] {
  return new Map(
    [...known].toSorted(([, { position: left }], [, { position: right }]) =>
      compare(left ?? beforeFirstTurn, right ?? beforeFirstTurn),
    ),
  );
}

function compare(left: TurnPosition, right: TurnPosition): number {
  return left.turn - right.turn || left.step - right.step;
}

/** Whether a message has an id or a time of its host. */
export function isNamed({ key, timestamp, callId }: MessageIdentity): boolean {
  if (key !== undefined) return namesOneMessage(key);
  return timestamp !== undefined || callId === undefined;
}

type Found = readonly (KnownMessage | undefined)[];

function findMessages(
  identities: readonly MessageIdentity[],
  messages: KnownMessages,
  isRewound: boolean,
): Found {
  const chat = [...messages.known.values()];
  const shared = commonStart(identities, messages.sequence);
  const sequence = messages.sequence.slice(0, shared);
  // Hosts remove a failed answer from the end of their list, and ask again.
  const isWhole = messages.sequence.slice(shared).every((one) => messages.isDiscarded(one));
  // Behind the same summary as before, only the newest prompt can be another one with known words.
  const isBehindSummary = sequence[0] !== undefined && sequence[0].position === undefined;
  const isOlder = identities.slice(shared).some(({ role }) => role === "user");
  if (!isWhole && !(isBehindSummary && isOlder))
    return findRest(identities, chat, messages, isRewound);
  const end = sequence.findLast(({ position }) => position !== undefined)?.position;
  const later = chat.filter(({ position }) => end === undefined || isAfter(position, end));
  return [...sequence, ...findRest(identities.slice(shared), later, messages, isRewound)];
}

/** Returns the number of messages with which both a list and the known one begin, by their identities. */
export function commonStart(
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

/** Finds the messages of a list among messages of the chat, and its messages outside the chat. */
function findRest(
  identities: readonly MessageIdentity[],
  among: readonly KnownMessage[],
  { known, isDiscarded }: KnownMessages,
  isRewound: boolean,
): Found {
  const found = identities.map((identity): KnownMessage | undefined => {
    const outside = identity.callId === undefined ? known.get(keyName(identity)) : undefined;
    return outside?.position === undefined ? outside : undefined;
  });
  const chat = inOrder(
    among.flatMap((one) => {
      const { identity, position } = one;
      const isFailed = identity.role === "assistant" && isDiscarded(one);
      return position === undefined
        ? []
        : [{ one, name: keyName(identity), ...identity, isFailed }];
    }),
  );
  const names = new Set(chat.map(nameOf));
  const list = inOrder(
    identities.flatMap((identity, index) => {
      const name = keyName(identity);
      // A result that the chat does not have can belong to a call that it has.
      const isSpoken = identity.role === "user" || identity.role === "assistant";
      const isInChat = isSpoken || names.has(name);
      return isInChat && found[index] === undefined ? [{ index, name, ...identity }] : [];
    }),
  );
  const places = isRewound
    ? placesAfterReport(list.map(nameOf), chat.map(nameOf))
    : placesOf(list, chat);
  for (const [at, { index }] of list.entries()) {
    const place = places[at];
    if (place !== undefined) found[index] = chat[place]?.one;
  }
  return found;
}

interface Named {
  readonly name: string;
  readonly role: string;
}

interface Known extends Named {
  /** Whether it is an answer that failed or was aborted. The host can have removed it. */
  readonly isFailed: boolean;
}

/** Orders results that follow one another by their names: hosts and chats have parallel results in different orders. */
function inOrder<Item extends Named>(items: readonly Item[]): readonly Item[] {
  const ordered: Item[] = [];
  let results: Item[] = [];
  const end = (): void => {
    ordered.push(...results.toSorted((left, right) => (left.name < right.name ? -1 : 1)));
    results = [];
  };
  for (const item of items) {
    if (item.role === "toolResult") {
      results.push(item);
      continue;
    }
    end();
    ordered.push(item);
  }
  end();
  return ordered;
}

type Places = readonly (number | undefined)[];

/** Finds the messages of a list whose host reports that the user went back: it ends anywhere in the chat. */
function placesAfterReport(list: readonly string[], names: readonly string[]): Places {
  return moreFound(alignNames(list, names, "beginning"), alignWithin(list, names));
}

/**
 * Finds the messages up to the list's last answer first. What follows it waits for an answer, so it is looked for only
 * behind them.
 */
function placesOf(list: readonly Named[], chat: readonly Known[]): Places {
  const answered = list.findLastIndex(({ role }) => role === "assistant") + 1;
  const lastAnswer = chat.findLastIndex(({ role }) => role === "assistant");
  const lastCounted = chat.findLastIndex(({ role, isFailed }) => role === "assistant" && !isFailed);
  const names = chat.map(nameOf);
  const past = list.slice(0, answered).map(nameOf);
  const waiting = list.slice(answered);
  /** Finds the waiting messages behind a known one. */
  const behind = (newest: number): Places => {
    const rest = [...chat.keys()].filter((at) => at > newest && chat[at]?.isFailed !== true);
    const differs = waiting.findIndex(({ name }, index) => names[rest[index] ?? -1] !== name);
    return waiting.map((_, index) => (differs === -1 || index < differs ? rest[index] : undefined));
  };
  /**
   * A prompt that had its answer before is a new one with the same words. So is one behind new messages: they join the
   * end of the chat, and the prompt has to follow them.
   */
  const unanswered = (places: Places): Places => {
    const prompt = list.findLastIndex(({ role }) => role === "user");
    const place = prompt < answered ? undefined : places[prompt];
    if (place === undefined) return places;
    const isBehindNew = places.slice(0, prompt).includes(undefined);
    if (place > lastCounted && !isBehindNew) return places;
    return places.map((one, index) => (index < prompt ? one : undefined));
  };
  const withWaiting = (places: Places): Places => {
    if (answered === 0) return behind(lastCounted);
    const newest = places.at(-1);
    return [...places, ...(newest === undefined ? waiting.map(noPlace) : behind(newest))];
  };
  // What the chat has after an answer can be missing in the list: a failed answer, or a prompt that was taken back.
  const found = [names.length, lastAnswer + 1, lastCounted + 1]
    .map((end) => unanswered(withWaiting(alignNames(past, names.slice(0, end)))))
    .reduce(moreFound);
  const aligned = answered === 0 ? unanswered(alignNames(list.map(nameOf), names)) : found;
  const most = moreFound(found, aligned);
  if (countFound(most) > 0) return most;
  const within = unanswered(alignWithin(list.map(nameOf), names));
  // One message says little: its words can have been said before. But no list begins with a new answer.
  const [first] = list;
  const isAnswer = first?.role === "assistant" && isOnce(first.name, names);
  return countFound(within) > 1 || isAnswer ? within : most;
}

function isOnce(name: string, names: readonly string[]): boolean {
  return names.indexOf(name) === names.lastIndexOf(name);
}

function moreFound(most: Places, next: Places): Places {
  return countFound(next) > countFound(most) ? next : most;
}

function noPlace(): undefined {
  return undefined;
}

function nameOf({ name }: Named): string {
  return name;
}

function countFound(places: readonly unknown[]): number {
  return places.filter((place) => place !== undefined).length;
}

function knownName({ identity }: KnownMessage): string {
  return keyName(identity);
}

/**
 * Finds results by the answers before them: an id of a call can be used again in a later answer. The result of a call
 * whose answer the host has dropped is at the beginning of the list.
 */
function withResults(
  identities: readonly MessageIdentity[],
  found: Found,
  { known }: KnownMessages,
): Found {
  const results = Map.groupBy([...known.values()].filter(isResult), knownName);
  const taken = new Set(found.flatMap((one) => one?.key ?? []));
  const nextPlace = (from: number): TurnPosition | undefined =>
    found.find((one, index) => index > from && one?.position !== undefined && !isResult(one))
      ?.position;
  const answers = new Set<string>();
  let hasAnswer = false;
  let isNew = false;
  return identities.map((identity, index) => {
    const one = found[index];
    if (identity.role === "assistant") {
      hasAnswer = true;
      isNew = one === undefined;
      if (one?.position !== undefined) answers.add(placeName(one.position));
    }
    if (one !== undefined || identity.callId === undefined || isNew) return one;
    const next = hasAnswer ? undefined : nextPlace(index);
    const result = (results.get(keyName(identity)) ?? []).findLast((candidate) => {
      const { position, key } = candidate;
      if (taken.has(key)) return false;
      if (position === undefined) return true;
      return hasAnswer
        ? answers.has(placeName(position))
        : next === undefined || isAfter(next, position);
    });
    if (result !== undefined) taken.add(result.key);
    return result;
  });
}

function isResult({ identity }: KnownMessage): boolean {
  return identity.callId !== undefined;
}

function placeName({ turn, step }: TurnPosition): string {
  return `${turn} ${step}`;
}
