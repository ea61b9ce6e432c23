import { canonicalJson, type JsonObject, toJson } from "@self-context-manager/objects";
import { isAfter, type TurnPosition } from "../chat/turn.ts";
import type { TokenEstimator } from "../cost/token-estimator.ts";
import { messageTokens } from "../render/message-tokens.ts";
import type { SessionState } from "../state/session-state.ts";
import { marked } from "../view/entry-groups.ts";
import type { LayoutOutput, ViewMessage } from "../view/layout.ts";
import type { AddedEntry, ViewEntry } from "../view/view-entry.ts";
import type { ViewRecord } from "../view/view-record.ts";
import type { SplitList } from "./split-list.ts";

/** An added message with its place: after this place of the chat; or at the end of the view. */
export interface PlacedMessage {
  readonly message: ViewMessage;
  readonly after: TurnPosition | "end";
  readonly isLate: boolean;
}

/** Finds the places of added messages in the chat, after the other messages of the list were ingested. */
export function placeAdded(
  { chat: { known } }: SessionState,
  { own, added }: SplitList,
  keys: () => readonly string[],
): readonly PlacedMessage[] {
  if (added.length === 0) return [];
  const names = keys();
  return added.map(({ message, after, isLate }) => {
    if (after === own.length) return { message, after: "end", isLate };
    const before = names.slice(0, after).findLast((key) => known.get(key)?.position !== undefined);
    const position = before === undefined ? undefined : known.get(before)?.position;
    return { message, after: position ?? { turn: -1, step: -1 }, isLate };
  });
}

/** Returns the estimated tokens of added messages. */
export function addedTokens(added: readonly PlacedMessage[], estimator: TokenEstimator): number {
  return added.reduce((sum, { message }) => sum + messageTokens(message, estimator), 0);
}

/** Returns a record without the entries of added messages, as the layout made it. */
export function withoutAdded(record: ViewRecord): ViewRecord {
  if (marked(record.entries, "added").length === 0) return record;
  return { ...record, entries: record.entries.filter(({ type }) => type !== "added") };
}

/**
 * Returns a view with added messages at their places. They are recorded, so that the view can be rebuilt. `last`: the
 * record of the last view; a message that it has too stays where it was, so that the bytes before the new ones stay. A
 * view that is not recorded by entries has the messages at its end, except those that mean nothing there.
 */
export function withAdded(
  output: LayoutOutput,
  all: readonly PlacedMessage[],
  { estimator, last }: { readonly estimator: TokenEstimator; readonly last?: ViewRecord },
): LayoutOutput {
  const { entries } = output.record;
  const isByEntry = entries.length === output.messages.length;
  const added = isByEntry ? all : meantAtEnd(all);
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
    record: { ...output.record, entries: isByEntry ? woven : [...entries, ...woven] },
    tokens: { ...tokens, chat: tokens.chat + addedTokens(added, estimator) },
    ...(boundaries === undefined
      ? {}
      : { boundaries: boundaries.map((index) => moved[index] ?? index) }),
  };
}

/**
 * Returns the added messages that can be shown at the end of a view instead of at their places. A prompt that has a place
 * of its own cannot, and neither can an answer with the messages beside it.
 */
function meantAtEnd(added: readonly PlacedMessage[]): readonly PlacedMessage[] {
  const answered = new Set(
    added.flatMap(({ message: { role }, after }) =>
      after !== "end" && (role === "assistant" || role === "toolResult") ? [placeName(after)] : [],
    ),
  );
  return added.filter(
    ({ after, isLate }) => !isLate && (after === "end" || !answered.has(placeName(after))),
  );
}

function placeName({ turn, step }: TurnPosition): string {
  return `${turn} ${step}`;
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
  return marked(record.entries, "added").map((index, before) => {
    const { message } = record.entries[index] as AddedEntry;
    return { name: nameOf(message), at: index - before };
  });
}

/**
 * Returns the index of each added message among the entries of a view, in the order of the messages. A result is directly
 * after the message before it, so that nothing separates it from its call.
 */
function placesIn(
  entries: readonly ViewEntry[],
  added: readonly PlacedMessage[],
  last: ViewRecord | undefined,
): readonly number[] {
  const earlier = Map.groupBy(last === undefined ? [] : addedIn(last), ({ name }) => name);
  let most = 0;
  return added.map(({ message, after }) => {
    if (message.role === "toolResult") return most;
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
