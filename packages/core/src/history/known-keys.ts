import { beforeFirstTurn, isAfter, type TurnPosition } from "../chat/turn.ts";
import { keyName, type KnownMessage, uniqueKey } from "../host/message-identity.ts";
import type { MessageIdentity } from "../host/message-codec.ts";
import type { ReadMessage } from "../host/read-list.ts";
import { type NamedMessage, placesOf } from "./align-names.ts";
import type { KnownMessages } from "./known-messages.ts";
import { withResults } from "./known-results.ts";

/**
 * Returns the key of each message of a list in which some have neither an id nor a time of their host. `own`: the keys of
 * those that have one. `begin`: the number of messages with which both the list and the last one begin.
 */
export function keysAmong(
  messages: readonly ReadMessage[],
  own: readonly (string | undefined)[],
  begin: number,
  given: KnownMessages,
  isRewound: boolean,
): readonly string[] {
  const known = { ...given, known: inChatOrder(given.known) };
  const found = findMessages(messages, begin, known, isRewound).map((one, index) => {
    const key = own[index];
    return key === undefined ? one : known.known.get(key);
  });
  const taken = new Set(known.known.keys());
  return withResults(messages, found, known).map((one, index) => {
    const key = own[index] ?? one?.key ?? uniqueKey(taken, messages[index]?.key ?? "");
    taken.add(key);
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

type Found = readonly (KnownMessage | undefined)[];

function findMessages(
  messages: readonly ReadMessage[],
  begin: number,
  known: KnownMessages,
  isRewound: boolean,
): Found {
  const shared = known.sequence.slice(0, begin);
  // Hosts remove a failed answer from the end of their list, and ask again.
  const isWhole = known.sequence.slice(begin).every((one) => known.isDiscarded(one));
  // Behind the same summary as before, only the newest prompt can be another one with known words.
  const isBehindSummary = shared[0] !== undefined && shared[0].position === undefined;
  const isOlder = messages.slice(begin).some(({ identity }) => identity.role === "user");
  const sequence = isWhole || (isBehindSummary && isOlder) ? shared : [];
  const end = sequence.findLast(({ position }) => position !== undefined)?.position;
  const later = [...known.known.values()].filter(
    ({ position }) => end === undefined || isAfter(position, end),
  );
  const rest = messages.slice(sequence.length);
  return [...sequence, ...findRest(rest, { sequence, later }, known, isRewound)];
}

/**
 * Finds the messages of a list behind the known ones with which it begins: among later messages of the chat, and its messages
 * outside the chat, each once.
 */
function findRest(
  messages: readonly ReadMessage[],
  { sequence, later }: Record<"sequence" | "later", readonly KnownMessage[]>,
  { known, isDiscarded, replacedUntil }: KnownMessages,
  isRewound: boolean,
): Found {
  const taken = new Set(sequence.map(({ key }) => key));
  const newest = messages.findLastIndex(({ identity }) => identity.role === "user");
  let isBeginning = sequence.length === 0;
  const found = messages.map(({ identity, key }, index): KnownMessage | undefined => {
    const outside = identity.callId === undefined ? known.get(key) : undefined;
    const isOutside = outside !== undefined && outside.position === undefined && !taken.has(key);
    // A prompt can have the words of one that replaces the beginning of the chat.
    isBeginning &&= index < newest && isOutside;
    if (!isOutside || (isText(identity) && !isBeginning)) return undefined;
    taken.add(key);
    return outside;
  });
  const chat = inOrder(
    later.flatMap((one) => {
      const { identity, position } = one;
      const isFailed = identity.role === "assistant" && isDiscarded(one);
      return position === undefined
        ? []
        : [
            {
              one,
              name: keyName(identity),
              role: identity.role,
              isFailed,
              isReplaced: isAfter(replacedUntil, position),
            },
          ];
    }),
  );
  const names = new Set(chat.map(({ name }) => name));
  const list = inOrder(
    messages.flatMap(({ identity, key: name }, index) => {
      const { role } = identity;
      // A result that the chat does not have can belong to a call that it has.
      const isInChat = isText(identity) || names.has(name);
      return isInChat && found[index] === undefined ? [{ index, name, role }] : [];
    }),
  );
  // A list that begins within the results of an answer has only some of them, and they can hide the answer.
  const begin = messages.findIndex(({ identity }) => isText(identity));
  const all = placesOf(list, chat, isRewound);
  const isHidden = begin > 0 && all.every((place) => place === undefined);
  const looked = isHidden ? list.filter(({ index }) => index >= begin) : list;
  const places = isHidden ? placesOf(looked, chat, isRewound) : all;
  for (const [at, { index }] of looked.entries()) {
    const place = places[at];
    if (place !== undefined) found[index] = chat[place]?.one;
  }
  return found;
}

function isText({ role }: MessageIdentity): boolean {
  return role === "user" || role === "assistant";
}

/** Orders results that follow one another by their names: hosts and chats have parallel results in different orders. */
function inOrder<Item extends NamedMessage>(items: readonly Item[]): readonly Item[] {
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
