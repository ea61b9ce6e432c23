import {
  isToolCall,
  type Message,
  type ToolCallBlock,
  type ToolResultMessage,
} from "../chat/message.ts";
import { callsOf, isAfter, sentIdsOf, type Step, type TurnPosition } from "../chat/turn.ts";
import type { ReadMessage } from "../host/read-list.ts";
import type { ChatIndex } from "../state/chat-index.ts";
import type { RecognisedList } from "./recognise-list.ts";

/** The calls of new messages and of new results. A call is named by the id under which it is sent. */
export interface PairedCalls {
  /** The ids of new calls, by their blocks. */
  readonly ids: ReadonlyMap<ToolCallBlock, string>;
  /** The calls of new results. A result whose call the session never saw has none. */
  readonly calls: ReadonlyMap<ToolResultMessage, string>;
}

/** The calls of a list without new messages. */
const noCalls: PairedCalls = { ids: new Map(), calls: new Map() };

/** What is known of a host's list, and the messages that the session does not know, in core's form, by their indexes. */
export interface ListWithNew {
  readonly list: RecognisedList;
  readonly unseen: ReadonlyMap<number, Message>;
}

/**
 * Pairs results with calls. A call is its answer, its place there and its id, because models and hosts use an id again,
 * and hosts change the ids of messages that they send again (decision D77). Results of calls with the same id are in the
 * order of these calls. A new call is sent with an id that no earlier call of the chat is sent with.
 */
export function pairCalls(
  chat: ChatIndex,
  messages: readonly ReadMessage[],
  { list, unseen }: ListWithNew,
): PairedCalls {
  const [first] = unseen.keys();
  if (first === undefined) return noCalls;
  const ids = new Map<ToolCallBlock, string>();
  const calls = new Map<ToolResultMessage, string>();
  const used = new Set<string>();
  const waiting = waitingCalls(chat);
  let answer: readonly ListedCall[] = [];
  let known: ReadMessage | undefined;
  const from = messages.findLastIndex((one, index) => index < first && isAnswer(one));
  for (let index = Math.max(0, from); index < messages.length; index += 1) {
    const listed = messages[index];
    const message = unseen.get(index);
    if (listed === undefined) continue;
    const { role, callId = "" } = listed.identity;
    if (message?.role === "assistant") {
      answer = message.content.filter(isToolCall).map((block) => {
        const id = uniqueId(block.id, (one) => used.has(one) || chat.sentIds.has(one));
        if (message.isFailed !== true) used.add(id);
        ids.set(block, id);
        return { hostId: block.id, id, hasResult: false };
      });
      waiting.push(answer);
      known = undefined;
    } else if (role === "assistant") {
      answer = knownCalls(stepAt(chat, placeIn(list, index)));
      known = listed;
    } else if (role === "toolResult") {
      if (known !== undefined && !answer.some(({ hostId }) => hostId === callId))
        renameCalls(answer, known.decode());
      const call = nextCall(answer, callId) ?? nextWaiting(waiting, callId);
      if (call !== undefined) call.hasResult = true;
      if (message?.role !== "toolResult") continue;
      const id = call?.id ?? answeredCall(chat, answer, callId);
      if (id !== undefined) calls.set(message, id);
    }
  }
  return { ids, calls };
}

/** A call of an answer in a host's list, with the id that it has there. */
interface ListedCall {
  hostId: string;
  readonly id: string;
  /** Whether a result of the list belongs to it. */
  hasResult: boolean;
}

function isAnswer({ identity }: ReadMessage): boolean {
  return identity.role === "assistant";
}

/** Returns the calls of the chat that have no result, those of each answer together, oldest first. */
function waitingCalls({ openCalls }: ChatIndex): (readonly ListedCall[])[] {
  const open = [...openCalls].toSorted(([, { position: left }], [, { position: right }]) =>
    isAfter(left, right) ? 1 : isAfter(right, left) ? -1 : left.call - right.call,
  );
  const answers = Map.groupBy(open, ([, { position }]) => `${position.turn} ${position.step}`);
  return [...answers.values()].map((group) =>
    group.map(([id, { hostId }]) => ({ id, hostId, hasResult: false })),
  );
}

/** Returns the calls of an answer that the chat has. */
function knownCalls(step: Step | undefined): readonly ListedCall[] {
  if (step === undefined) return [];
  const sent = sentIdsOf(step);
  return callsOf(step).map(({ id }, index) => ({
    hostId: id,
    id: sent[index] ?? id,
    hasResult: false,
  }));
}

/** Gives the calls of a known answer the ids that the host's list has for them now. */
function renameCalls(calls: readonly ListedCall[], message: Message): void {
  if (message.role !== "assistant") return;
  for (const [index, { id }] of message.content.filter(isToolCall).entries()) {
    const call = calls[index];
    if (call !== undefined) call.hostId = id;
  }
}

function nextCall(answer: readonly ListedCall[], hostId: string): ListedCall | undefined {
  return answer.find((call) => call.hostId === hostId && !call.hasResult);
}

function nextWaiting(
  waiting: readonly (readonly ListedCall[])[],
  hostId: string,
): ListedCall | undefined {
  const group = waiting.findLast((answer) => nextCall(answer, hostId) !== undefined);
  return group === undefined ? undefined : nextCall(group, hostId);
}

/** Returns the newest call that has its result and that a host's id names. */
function answeredCall(
  { turns }: ChatIndex,
  answer: readonly ListedCall[],
  hostId: string,
): string | undefined {
  const listed = answer.findLast((call) => call.hostId === hostId);
  if (listed !== undefined) return listed.id;
  for (const { steps } of turns.toReversed())
    for (const step of steps.toReversed()) {
      const at = callsOf(step).findLastIndex(({ id }) => id === hostId);
      if (at !== -1) return sentIdsOf(step)[at];
    }
  return undefined;
}

/** Returns the place of a known message of a list. Where the list begins as before, no key is needed for it. */
function placeIn({ shared, known, keys }: RecognisedList, index: number): TurnPosition | undefined {
  const found = index < shared ? known.sequence[index] : known.known.get(keys()[index] ?? "");
  return found?.position;
}

function stepAt({ turns }: ChatIndex, position: TurnPosition | undefined): Step | undefined {
  return position === undefined ? undefined : turns[position.turn]?.steps[position.step];
}

/**
 * Returns an id that is not used: the host's own, or the host's with a number. An id that hosts join from several ids with
 * `|` gets the number in each of them.
 */
function uniqueId(hostId: string, isUsed: (id: string) => boolean): string {
  if (hostId !== "" && !isUsed(hostId)) return hostId;
  const parts = (hostId === "" ? "call" : hostId).split("|");
  for (let count = hostId === "" ? 1 : 2; ; count += 1) {
    const id = parts.map((part) => `${part}_${count}`).join("|");
    if (!isUsed(id)) return id;
  }
}
