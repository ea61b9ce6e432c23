import { type Block, isToolCall, type Message, type UserMessage } from "../chat/message.ts";
import { addedText } from "./added-text.ts";
import type { MessageCodec } from "./message-codec.ts";

/**
 * A request's list for `ingestAndView`, with the codec that reads it. The codec marks what other extensions added to the
 * request and left out of it.
 */
export interface MarkedList<Raw> {
  readonly messages: readonly Raw[];
  readonly codec: MessageCodec<Raw>;
}

/** The lists that `markedList` compares. */
export interface ComparedLists<Raw> {
  /** The host's own messages in order, before any extension has changed them. */
  readonly host: readonly Raw[];
  /** The list of the request, as the adapter's hook gets it. */
  readonly sent: readonly Raw[];
  /**
   * Those of `sent` that other extensions have added for this request. The adapter decides which they are. The results of
   * an added answer count as added too; other results never do.
   */
  readonly added: ReadonlySet<Raw>;
}

/**
 * Compares the list of a request with the host's own messages, for adapters that can see both. Returns the list in which
 * the messages that others left out are back at their places, with a codec that marks them `isLeftOut` and the added ones
 * `isForOneRequest`. A text that others added to a user's message is a message of its own there. If the list has messages
 * of the host in another order, or is empty, or has none of them but others that nobody has added, nothing counts as left
 * out.
 */
export function markedList<Raw>(
  codec: MessageCodec<Raw>,
  { host, sent, added: given }: ComparedLists<Raw>,
): MarkedList<Raw> {
  const added = withResults(codec, sent, given);
  const { messages, leftOut, places } = wholeList(host, sent, (message) =>
    added.has(message) ? undefined : identityName(codec, message),
  );
  const texts = addedTexts(codec, places);
  if (added.size === 0 && leftOut.size === 0 && texts.size === 0) return { messages, codec };
  const made = new Map<Raw, UserMessage>();
  const message = (content: readonly Block[]): readonly Raw[] => {
    if (content.length === 0) return [];
    // The adapter's codec never gets it.
    const raw = {} as Raw;
    made.set(raw, { role: "user", content });
    return [raw];
  };
  const marking: MessageCodec<Raw> = {
    ...codec,
    identify(raw) {
      if (made.has(raw)) return { role: "user", isForOneRequest: true };
      const identity = codec.identify(raw);
      if (added.has(raw)) return { ...identity, isForOneRequest: true };
      return leftOut.has(raw) ? { ...identity, isLeftOut: true } : identity;
    },
    decode: (raw) => made.get(raw) ?? codec.decode(raw),
  };
  const apart = messages.flatMap((raw) => {
    const around = texts.get(raw);
    return around === undefined
      ? [raw]
      : [...message(around.before), around.own, ...message(around.after)];
  });
  return { messages: apart, codec: marking };
}

/** Returns the added messages with the results of added answers. */
function withResults<Raw>(
  codec: MessageCodec<Raw>,
  sent: readonly Raw[],
  added: ReadonlySet<Raw>,
): ReadonlySet<Raw> {
  const all = new Set(added);
  let calls: ReadonlySet<string> = new Set();
  for (const raw of added.size === 0 ? [] : sent) {
    const { role, callId = "" } = codec.identify(raw);
    if (role === "assistant")
      calls = added.has(raw) ? new Set([...calls, ...callIdsIn(codec.decode(raw))]) : new Set();
    if (role !== "toolResult") continue;
    if (calls.has(callId)) all.add(raw);
    else all.delete(raw);
  }
  return all;
}

function callIdsIn(message: Message): readonly string[] {
  return message.role === "assistant" ? message.content.filter(isToolCall).map(({ id }) => id) : [];
}

/** A message of the host, and what others have added to it in a request. */
interface Surrounded<Raw> {
  readonly own: Raw;
  readonly before: readonly Block[];
  readonly after: readonly Block[];
}

/** Returns the user's messages of a request to which others have added a text. */
function addedTexts<Raw>(
  codec: MessageCodec<Raw>,
  places: ReadonlyMap<Raw, Raw>,
): ReadonlyMap<Raw, Surrounded<Raw>> {
  const found = new Map<Raw, Surrounded<Raw>>();
  for (const [sent, own] of places) {
    if (sent === own || codec.identify(own).role !== "user") continue;
    const [mine, theirs] = [codec.decode(own), codec.decode(sent)];
    if (mine.role !== "user" || theirs.role !== "user") continue;
    const around = addedText(mine, theirs);
    if (around !== undefined) found.set(sent, { own, ...around });
  }
  return found;
}

/**
 * Returns the name by which a message is recognised in a request. Several messages can have the same one. A fingerprint
 * is no part of it, because others can have changed the content.
 */
export function identityName<Raw>(codec: MessageCodec<Raw>, message: Raw): string {
  const { fingerprint: _, ...identity } = codec.identify(message);
  return JSON.stringify(identity);
}

/** A request's list in which the messages that extensions left out are back at their places. */
interface WholeList<Raw> {
  readonly messages: readonly Raw[];
  readonly leftOut: ReadonlySet<Raw>;
  /** The host's own message for each message of the request that is one of the host's. */
  readonly places: ReadonlyMap<Raw, Raw>;
}

/** `nameOf`: returns the name by which the same message is recognised; undefined for a message that is not the host's. */
function wholeList<Raw>(
  host: readonly Raw[],
  sent: readonly Raw[],
  nameOf: (message: Raw) => string | undefined,
): WholeList<Raw> {
  const unchanged: WholeList<Raw> = { messages: sent, leftOut: new Set(), places: new Map() };
  const names = host.map(nameOf);
  const known = new Set(names);
  /** For each message of the list, by its index, the index among the host's. */
  const places = new Map<number, number>();
  let end = host.length;
  for (let at = sent.length - 1; at >= 0; at -= 1) {
    const message = sent[at] as Raw;
    const name = nameOf(message);
    if (name === undefined || !known.has(name)) continue;
    // Of equal messages, the same object is meant, if the host passes its own.
    const same = end === 0 ? -1 : host.lastIndexOf(message, end - 1);
    const index = same === -1 && end > 0 ? names.lastIndexOf(name, end - 1) : same;
    if (index === -1) return unchanged;
    places.set(at, index);
    end = index;
  }
  const own = new Map([...places].map(([at, index]) => [sent[at] as Raw, host[index] as Raw]));
  const isOnlyAdded = sent.length > 0 && sent.every((message) => nameOf(message) === undefined);
  if (places.size === host.length || (places.size === 0 && !isOnlyAdded))
    return { ...unchanged, places: own };
  const leftOut = new Set<Raw>();
  const messages: Raw[] = [];
  const putBack = (from: number, to: number): void => {
    for (const message of host.slice(from, to)) {
      leftOut.add(message);
      messages.push(message);
    }
  };
  let next = 0;
  for (const [at, message] of sent.entries()) {
    const index = places.get(at);
    if (index !== undefined) {
      putBack(next, index);
      next = index + 1;
    }
    messages.push(message);
  }
  putBack(next, host.length);
  return { messages, leftOut, places: own };
}
