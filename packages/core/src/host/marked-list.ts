import { type Block, isToolCall, type Message } from "../chat/message.ts";
import { namesOneMessage } from "./message-identity.ts";
import { neutralCodec } from "./neutral-codec.ts";
import { type ReadList, readList, type ReadMessage } from "./read-list.ts";
import { textsAround } from "./texts-around.ts";

/** The lists that `markedList` compares. */
export interface ComparedLists<Raw> {
  /** The host's own messages in order, before any extension has changed them. */
  readonly host: ReadList<Raw>;
  /** The list of the request, as the adapter's hook gets it. */
  readonly sent: ReadList<Raw>;
  /**
   * Those of `sent` that other extensions have added for this request. The adapter decides which they are. The results of
   * an added answer count as added too; other results never do.
   */
  readonly added: ReadonlySet<Raw>;
}

/**
 * Compares the list of a request with the host's own messages, for adapters that can see both. Returns the list in which
 * the messages that others left out are back at their places, and these and the added ones are marked. A text that others
 * added to a user's message is a message of its own there. If the list has messages of the host in another order, or is
 * empty, or has none of them but others that nobody has added, nothing counts as left out.
 */
export function markedList<Raw>({
  host,
  sent,
  added: given,
}: ComparedLists<Raw>): ReadList<Raw | undefined> {
  const added = withResults(sent.messages, given);
  const isAdded = ({ raw }: ReadMessage<Raw>): boolean => added.has(raw);
  const places = placesIn(host.messages, sent.messages, isAdded);
  const isOnlyAdded = sent.messages.length > 0 && sent.messages.every(isAdded);
  const isWhole = places === undefined || (places.size === 0 && !isOnlyAdded);
  const messages: ReadMessage<Raw | undefined>[] = [];
  let next = 0;
  const putBack = (end: number): void => {
    const missing = isWhole ? [] : host.messages.slice(next, end);
    for (const one of missing) messages.push({ ...one, mark: "left-out" });
    next = end + 1;
  };
  for (const [at, one] of sent.messages.entries()) {
    const place = places?.get(at);
    if (place !== undefined) putBack(place);
    const own = place === undefined ? undefined : host.messages[place];
    if (isAdded(one)) messages.push({ ...one, mark: "added" });
    else messages.push(...withTextsApart(one, own));
  }
  putBack(host.messages.length);
  return { ...sent, messages };
}

/** Returns the added messages with the results of added answers. */
function withResults<Raw>(
  sent: readonly ReadMessage<Raw>[],
  added: ReadonlySet<Raw>,
): ReadonlySet<Raw> {
  const all = new Set(added);
  let calls: ReadonlySet<string> = new Set();
  for (const one of added.size === 0 ? [] : sent) {
    const { raw, identity } = one;
    const { role, callId = "" } = identity;
    if (role === "assistant")
      calls = all.has(raw) ? new Set([...calls, ...callIdsIn(one.decode())]) : new Set();
    if (role !== "toolResult") continue;
    if (calls.has(callId)) all.add(raw);
    else all.delete(raw);
  }
  return all;
}

function callIdsIn(message: Message): readonly string[] {
  return message.role === "assistant" ? message.content.filter(isToolCall).map(({ id }) => id) : [];
}

/** Returns a message of a request, or the host's own with what others have put around its text as messages of their own. */
function withTextsApart<Raw>(
  sent: ReadMessage<Raw>,
  own: ReadMessage<Raw> | undefined,
): readonly ReadMessage<Raw | undefined>[] {
  if (own === undefined || own.raw === sent.raw || own.identity.role !== "user") return [sent];
  const [mine, theirs] = [own.decode(), sent.decode()];
  if (mine.role !== "user" || theirs.role !== "user") return [sent];
  const around = textsAround(mine, theirs);
  if (around === undefined) return [sent];
  return [...addedMessage(around.before), own, ...addedMessage(around.after)];
}

function addedMessage(content: readonly Block[]): readonly ReadMessage<undefined>[] {
  if (content.length === 0) return [];
  const { messages } = readList([{ role: "user", content }], neutralCodec);
  return messages.map((one) => ({ ...one, raw: undefined, mark: "added" }));
}

/**
 * Returns the name by which a message is recognised in a request. Several messages can have the same one. Nothing made from
 * the content is a part of it, because others can have changed the content.
 */
export function identityName({ identity, key }: Pick<ReadMessage, "identity" | "key">): string {
  const { fingerprint: _, ...given } = identity;
  if (namesOneMessage(key)) return JSON.stringify(given);
  const { key: __, ...named } = given;
  return JSON.stringify(named);
}

/**
 * Returns the index among the host's messages for each message of a request that is one of them, by its index; undefined if
 * the request has them in another order.
 */
function placesIn<Raw>(
  host: readonly ReadMessage<Raw>[],
  sent: readonly ReadMessage<Raw>[],
  isAdded: (one: ReadMessage<Raw>) => boolean,
): ReadonlyMap<number, number> | undefined {
  const lasts = new Map(host.map(({ raw }, index) => [raw, index]));
  // Of equal messages, the same object is meant, if the host passes its own.
  const sameBefore = (raw: Raw, before: number): number => {
    const last = lasts.get(raw) ?? -1;
    return last < before ? last : host.findLastIndex((one, at) => at < before && one.raw === raw);
  };
  let names: readonly (string | undefined)[] | undefined;
  const places = new Map<number, number>();
  let end = host.length;
  for (let at = sent.length - 1; at >= 0; at -= 1) {
    const one = sent[at] as ReadMessage<Raw>;
    if (isAdded(one)) continue;
    const before = host[end - 1];
    const same = sameBefore(one.raw, end);
    // Nearly always the lists are the same, and no name has to be made.
    const isBefore = before !== undefined && !isAdded(before) && haveOneName(before, one);
    let index = isBefore ? end - 1 : -1;
    if (same !== -1) index = same;
    else if (!isBefore) {
      names ??= host.map((other) => (isAdded(other) ? undefined : identityName(other)));
      const name = identityName(one);
      index = end === 0 ? -1 : names.lastIndexOf(name, end - 1);
      if (index === -1 && !names.includes(name)) continue;
    }
    if (index === -1) return undefined;
    places.set(at, index);
    end = index;
  }
  return places;
}

/** Whether `identityName` returns one name for two messages. Nearly always it is seen without making the names. */
function haveOneName(one: ReadMessage, other: ReadMessage): boolean {
  const [left, right] = [one.identity, other.identity];
  if (left.role !== right.role || left.timestamp !== right.timestamp) return false;
  if (left.callId !== right.callId) return false;
  return left.key === right.key || identityName(one) === identityName(other);
}
