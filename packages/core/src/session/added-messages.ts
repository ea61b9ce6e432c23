import { canonicalJson, type JsonObject, toJson } from "@self-context-manager/objects";
import type { Message } from "../chat/message.ts";
import { isAfter, type TurnPosition } from "../chat/turn.ts";
import type { TokenEstimator } from "../cost/token-estimator.ts";
import type { MessageCodec, MessageIdentity } from "../host/message-codec.ts";
import { identify, messageKeys } from "../host/message-identity.ts";
import { messageTokens } from "../render/message-tokens.ts";
import type { SessionState } from "../state/session-state.ts";
import type { LayoutOutput, ViewMessage } from "../view/layout.ts";
import type { AddedEntry, ViewEntry } from "../view/view-entry.ts";
import type { ViewRecord } from "../view/view-record.ts";

/** A message that another extension of the host has added to one request, as the view shows it. */
interface AddedMessage {
  readonly message: ViewMessage;
  /** The number of messages of the host before it. */
  readonly after: number;
  /** Whether it is a prompt of the host that is back and has no place in the chat. */
  readonly isLate: boolean;
}

/** The messages of a host's list that belong to the session's history, and those that are only in this request. */
export interface SplitList<Raw> {
  readonly own: readonly Raw[];
  readonly added: readonly AddedMessage[];
  /** Whether others have left out messages that the session does not know. */
  readonly hasUnknown: boolean;
}

/**
 * Separates the messages of a host's history from those that others have added to this request. Prompts and results that
 * others left out before the session knew them are in neither, because no request had them. An answer is always in the
 * history: the model has made it, and later messages need its place. When such a prompt is back, it can no longer be in
 * the chat at its place, so it is an added message (`wasUnknown`: whether the session has left one out before).
 */
export function splitList<Raw>(
  messages: readonly Raw[],
  codec: MessageCodec<Raw>,
  known: ReadonlyMap<string, unknown>,
  wasUnknown = false,
): SplitList<Raw> {
  const marks = messages.map((raw) => codec.identify(raw));
  if (!wasUnknown && !marks.some(isMarked)) return { own: messages, added: [], hasUnknown: false };
  const own: Raw[] = [];
  const added: AddedMessage[] = [];
  const { unknown, late } = unknownMessages(messages, codec, known, wasUnknown);
  for (const [index, raw] of messages.entries()) {
    if (unknown.has(raw)) continue;
    const isLate = late.has(raw);
    if (marks[index]?.isForOneRequest === true || isLate)
      added.push({
        message: shownMessage(toJson(codec.decode(raw)) as Message),
        after: own.length,
        isLate,
      });
    else own.push(raw);
  }
  return { own, added, hasUnknown: unknown.size > 0 };
}

function isMarked({ isForOneRequest, isLeftOut }: MessageIdentity): boolean {
  return isForOneRequest === true || isLeftOut === true;
}

/**
 * Returns the prompts and results that are left out and that are not in the session, and the prompts that are not in the
 * session although a later message is.
 */
function unknownMessages<Raw>(
  messages: readonly Raw[],
  codec: MessageCodec<Raw>,
  known: ReadonlyMap<string, unknown>,
  wasUnknown: boolean,
): { readonly unknown: ReadonlySet<Raw>; readonly late: ReadonlySet<Raw> } {
  const stored = messages.filter((raw) => codec.identify(raw).isForOneRequest !== true);
  const identities = stored.map((raw) => identify(raw, codec));
  const isKnown = messageKeys(identities).map((key) => known.has(key));
  const newest = isKnown.lastIndexOf(true);
  const unknown = new Set<Raw>();
  const late = new Set<Raw>();
  for (const [index, raw] of stored.entries()) {
    const { role, isLeftOut } = identities[index] ?? {};
    if (isKnown[index] === true || role === "assistant") continue;
    if (isLeftOut === true) unknown.add(raw);
    else if (wasUnknown && index < newest && isPrompt(codec.decode(raw))) late.add(raw);
  }
  return { unknown, late };
}

function shownMessage(message: Message): ViewMessage {
  if (message.role !== "summary") return message;
  const { kind, raw } = message;
  return { role: "opaque", kind, raw };
}

/** Whether a message has no other place than its own: a result belongs to its call, and a summary replaces others. */
function isPrompt({ role }: Message): boolean {
  return role === "user" || role === "opaque";
}

/** An added message with its place: after this place of the chat; or at the end of the view. */
export interface PlacedMessage {
  readonly message: ViewMessage;
  readonly after: TurnPosition | "end";
  readonly isLate: boolean;
}

/** Finds the places of added messages in the chat, after the other messages of the list were ingested. */
export function placeAdded<Raw>(
  state: SessionState,
  { own, added }: SplitList<Raw>,
  codec: MessageCodec<Raw>,
): readonly PlacedMessage[] {
  if (added.length === 0) return [];
  const keys = messageKeys(own.map((raw) => identify(raw, codec)));
  return added.map(({ message, after, isLate }) => {
    if (after === own.length) return { message, after: "end", isLate };
    const before = keys
      .slice(0, after)
      .findLast((key) => state.known.get(key)?.position !== undefined);
    const position = before === undefined ? undefined : state.known.get(before)?.position;
    return { message, after: position ?? { turn: -1, step: -1 }, isLate };
  });
}

/** Returns the estimated tokens of added messages. */
export function addedTokens(added: readonly PlacedMessage[], estimator: TokenEstimator): number {
  return added.reduce((sum, { message }) => sum + messageTokens(message, estimator), 0);
}

/** Returns a record without the entries of added messages, as the layout made it. */
export function withoutAdded(record: ViewRecord): ViewRecord {
  if (!record.entries.some(({ type }) => type === "added")) return record;
  return { ...record, entries: record.entries.filter(({ type }) => type !== "added") };
}

/**
 * Returns a view with added messages at their places. They are recorded, so that the view can be rebuilt. `last`: the
 * record of the last view; a message that it has too stays where it was, so that the bytes before the new ones stay. A
 * view that is not recorded by entries has the messages at its end, without prompts that have a place of their own.
 */
export function withAdded(
  output: LayoutOutput,
  all: readonly PlacedMessage[],
  { estimator, last }: { readonly estimator: TokenEstimator; readonly last?: ViewRecord },
): LayoutOutput {
  const { entries } = output.record;
  const isByEntry = entries.length === output.messages.length;
  const added = isByEntry ? all : all.filter(({ isLate }) => !isLate);
  if (added.length === 0) return output;
  const indexes = isByEntry ? placesIn(entries, added, last) : [];
  const places = added.map(({ message }, index) => ({
    entry: addedEntry(message, estimator),
    at: indexes[index] ?? output.messages.length,
  }));
  const messagesAt = (at: number): readonly AddedEntry[] =>
    places.filter((place) => place.at === at).map(({ entry }) => entry);
  const messages: ViewMessage[] = [];
  const woven: ViewEntry[] = [];
  const moved: number[] = [];
  for (let index = 0; index <= output.messages.length; index += 1) {
    for (const entry of messagesAt(index)) {
      messages.push(entry.message as ViewMessage);
      woven.push(entry);
    }
    const message = output.messages[index];
    if (message === undefined) continue;
    moved.push(messages.length);
    messages.push(message);
    const entry = entries[index];
    if (isByEntry && entry !== undefined) woven.push(entry);
  }
  const { tokens, boundaries } = output;
  return {
    ...output,
    messages,
    record: { ...output.record, entries: woven },
    tokens: { ...tokens, chat: tokens.chat + addedTokens(added, estimator) },
    ...(boundaries === undefined
      ? {}
      : { boundaries: boundaries.map((index) => moved[index] ?? index) }),
  };
}

function addedEntry(message: ViewMessage, estimator: TokenEstimator): AddedEntry {
  return {
    type: "added",
    message,
    tokens: Math.ceil(messageTokens(message, estimator)),
  };
}

/**
 * Returns the index of the first entry of the last view before which it had other added messages than the next view has.
 * Undefined if there is none. `last`: the record with its added messages.
 */
export function firstChangedPlace(
  last: ViewRecord | undefined,
  added: readonly PlacedMessage[],
): number | undefined {
  if (last === undefined) return undefined;
  const before = addedIn(last);
  if (before.length === 0 && added.length === 0) return undefined;
  const { entries } = withoutAdded(last);
  const places = placesIn(entries, added, last);
  // Messages at the end of the next view are behind all entries of the last one.
  const now = added.flatMap(({ message, after }, index) =>
    after === "end" ? [] : [{ name: nameOf(message), at: places[index] ?? entries.length }],
  );
  for (let index = 0; index < Math.max(before.length, now.length); index += 1) {
    const [then, next] = [before[index], now[index]];
    if (then?.name === next?.name && then?.at === next?.at) continue;
    return Math.min(then?.at ?? entries.length, next?.at ?? entries.length);
  }
  return undefined;
}

/** Returns the added messages of a view, each with the number of the layout's entries before it. */
function addedIn(record: ViewRecord): readonly { readonly name: string; readonly at: number }[] {
  let at = 0;
  return record.entries.flatMap((entry) => {
    if (entry.type === "added") return [{ name: nameOf(entry.message), at }];
    at += 1;
    return [];
  });
}

/** Returns the index of each added message among the entries of a view, in the order of the messages. */
function placesIn(
  entries: readonly ViewEntry[],
  added: readonly PlacedMessage[],
  last: ViewRecord | undefined,
): readonly number[] {
  const earlier = Map.groupBy(last === undefined ? [] : addedIn(last), ({ name }) => name);
  let most = 0;
  return added.map(({ message, after }) => {
    const known = earlier.get(nameOf(message)) ?? [];
    const at = after === "end" ? entries.length : placeAfter(entries, after, known);
    most = Math.max(most, at);
    return most;
  });
}

/** Returns the name of a message; the fields of a stored one can have another order. */
function nameOf(message: ViewMessage | JsonObject): string {
  return canonicalJson(toJson(message));
}

/**
 * Returns the index of an added message: where the last view had it, if only lines of the context manager are between
 * that place and the message's place in the chat.
 */
function placeAfter(
  entries: readonly ViewEntry[],
  after: TurnPosition,
  earlier: readonly { readonly at: number }[],
): number {
  const from = endOf(entries, after);
  const next = entries.findIndex((entry, index) => index >= from && "turn" in entry);
  const to = next === -1 ? entries.length : next;
  return earlier.find(({ at }) => from <= at && at <= to)?.at ?? from;
}

/** Returns the index after the last entry up to a place of the chat, where no result is separated from its call. */
function endOf(entries: readonly ViewEntry[], after: TurnPosition): number {
  const last = entries.findLastIndex(
    (entry) =>
      "turn" in entry &&
      !isAfter({ turn: entry.turn, step: "step" in entry ? entry.step : -1 }, after),
  );
  return last + 1;
}
