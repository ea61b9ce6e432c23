import { boundedMap, fieldsOf } from "@self-context-manager/core/host";

import { textsOf } from "./message-texts.ts";
import { keyOf, type OpenClawMessage } from "./openclaw-messages.ts";

/**
 * Keeps the messages of the turns that go on. OpenClaw appends them to those of an engine by itself and does not show them
 * to it, but reports each one when it writes it.
 */
export interface CurrentTurns {
  /** A message was written to the transcript of a session. */
  written(place: string, message: OpenClawMessage): void;
  /** Returns the messages that were written after the last of these, which are the messages before the turn. */
  after(place: string, earlier: readonly OpenClawMessage[]): readonly OpenClawMessage[];
  /**
   * Whether the user went back: the list at the beginning of a turn does not have the model's last answer. A list that only
   * becomes shorter loses its oldest messages.
   */
  isRewound(place: string, earlier: readonly OpenClawMessage[]): boolean;
  /** Forgets a session. */
  forget(place: string): void;
}

/**
 * Bounds for sessions whose messages are written and whose requests are never assembled, such as those of another runtime. A
 * turn that was managed has fewer messages than this.
 */
const mostPlaces = 128;
const mostMessages = 1024;

/** Returns turns by the places of their sessions. */
export function currentTurns(): CurrentTurns {
  const answers = new Map<string, OpenClawMessage>();
  const turns = boundedMap<string, readonly OpenClawMessage[]>(mostPlaces, (place) =>
    answers.delete(place),
  );

  return {
    written(place, message) {
      const turn = turns.get(place) ?? [];
      if (isRepeated(message, turn)) return;
      turns.set(place, [...turn, message].slice(-mostMessages));
      if (isAnswer(message)) answers.set(place, message);
    },
    after(place, earlier) {
      const listed = Map.groupBy(earlier, groupOf);
      const isListed = (message: OpenClawMessage): boolean =>
        listed.get(groupOf(message))?.some((one) => timeKey(one) === timeKey(message)) === true;
      const turn = turns.get(place) ?? [];
      const rest = turn.slice(turn.findLastIndex(isListed) + 1);
      turns.set(place, rest);
      return withoutOrphans(rest);
    },
    isRewound(place, earlier) {
      const answer = answers.get(place);
      if (answer === undefined) return false;
      const time = Number(answer["timestamp"]);
      const isAnswered = (one: OpenClawMessage): boolean =>
        groupOf(one) === groupOf(answer) && timeKey(one) === timeKey(answer);
      if (earlier.some((one) => isAnswered(one) || replaces(one, time))) return false;
      // What was written before the user went back is not a part of the new turn.
      const newer = (turns.get(place) ?? []).filter(({ timestamp }) => Number(timestamp) > time);
      turns.set(place, newer);
      answers.delete(place);
      return true;
    },
    forget(place) {
      turns.delete(place);
      answers.delete(place);
    },
  };
}

/**
 * Whether a message is a prompt that the turn has already. OpenClaw writes it again for each attempt: after an answer that
 * it has refused, the same message; otherwise one without its key and with another time. Its transcript keeps the first.
 */
function isRepeated(message: OpenClawMessage, turn: readonly OpenClawMessage[]): boolean {
  if (message.role !== "user") return false;
  const key = message["idempotencyKey"];
  const text = textsOf(message).join("\n");
  return turn.some(
    (one) =>
      one.role === "user" &&
      (key === undefined || one["idempotencyKey"] === key) &&
      textsOf(one).join("\n") === text,
  );
}

/** Whether a message is a whole answer of the model, which each later list has. */
function isAnswer({ role, provider, stopReason, content }: OpenClawMessage): boolean {
  const isModel = role === "assistant" && provider !== "openclaw";
  const isWhole = stopReason === "stop" || stopReason === "toolUse";
  return isModel && isWhole && Array.isArray(content) && content.length > 0;
}

/** Whether a message is a summary that the host made after this time. */
function replaces({ role, timestamp }: OpenClawMessage, time: number): boolean {
  return role === "compactionSummary" && Number(timestamp) >= time;
}

/**
 * Leaves out the results of calls that no answer has. The host removes a call of an unknown tool from the answer that it
 * writes, and leaves the result out in later turns.
 */
function withoutOrphans(turn: readonly OpenClawMessage[]): readonly OpenClawMessage[] {
  const calls = new Set<unknown>(
    turn.flatMap(({ role, content }) =>
      role === "assistant" && Array.isArray(content)
        ? content.map((block: unknown): unknown => fieldsOf(block)["id"])
        : [],
    ),
  );
  return turn.filter(({ role, toolCallId: id }) => role !== "toolResult" || calls.has(id));
}

/** Groups messages, so that few have to be named: those of one name have one group. A custom message has no time in its name. */
function groupOf({ role, timestamp }: OpenClawMessage): unknown {
  return role === "custom" ? role : timestamp;
}

/** The name of a message without the id of its call, which is another one in later turns. */
function timeKey({ toolCallId: _callId, ...message }: OpenClawMessage): string {
  return keyOf(message);
}
