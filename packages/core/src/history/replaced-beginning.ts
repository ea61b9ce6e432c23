import { defined } from "@self-context-manager/objects";
import type { ReplacingMessage } from "../chat/chat-body.ts";
import {
  type AssistantMessage,
  isToolCall,
  type Message,
  type UserMessage,
} from "../chat/message.ts";
import type { TurnPosition } from "../chat/turn.ts";
import { keyName } from "../host/message-identity.ts";
import type { ReadMessage } from "../host/read-list.ts";
import type { RecognisedList } from "./recognise-list.ts";

/** The beginning of a host's list that replaces the beginning of the chat. */
export interface ReplacedBeginning {
  /** The messages that replace it. They are known from then on, and have no place in the chat. */
  readonly messages: readonly ReplacingMessage[];
  /** The number of messages of the list that it is. */
  readonly count: number;
  /** The first message of the chat that the list has; undefined if it has none. */
  readonly kept: TurnPosition | undefined;
}

/**
 * Finds the messages at the beginning of a list with which a host replaces the beginning of the chat, if it has no summaries
 * of its own kind: new texts before the first message that the chat has (decision D53). If the list has no message of the
 * chat, it is the first message, unless that is the newest prompt, or says what the chat has already: then the list has only
 * lost its beginning.
 */
export function replacedBeginning(
  list: RecognisedList,
  isNew: (index: number) => boolean,
): ReplacedBeginning | undefined {
  const { messages, known } = list;
  const [first] = messages;
  if (known.known.size === 0 || first?.identity.role !== "user") return undefined;
  const positions = list.keys().map((key) => known.known.get(key)?.position);
  const at = positions.findIndex((position) => position !== undefined);
  if (at === -1) {
    const newest = messages.findLastIndex(({ identity }) => identity.role === "user");
    const isKnown = [...known.known.values()].some(
      ({ identity }) => keyName(identity) === first.key,
    );
    return newest > 0 && isNew(0) && !isKnown ? beginning(list, 1, undefined) : undefined;
  }
  const kept = positions[at];
  if (kept === undefined || !messages.slice(0, at).some((_, index) => isNew(index)))
    return undefined;
  const other = messages.slice(0, at).findIndex((one) => !isText(one.decode()));
  return beginning(list, other === -1 ? at : other, kept);
}

function beginning(
  { messages }: RecognisedList,
  count: number,
  kept: TurnPosition | undefined,
): ReplacedBeginning {
  return { messages: replacingMessages(messages.slice(0, count)), count, kept };
}

/** Whether a message can be shown before others of another place: a prompt or an answer without calls. */
function isText(message: Message): boolean {
  if (message.role === "assistant")
    return message.isFailed !== true && !message.content.some(isToolCall);
  return message.role === "user";
}

function replacingMessages(messages: readonly ReadMessage[]): readonly ReplacingMessage[] {
  return messages.flatMap((one): readonly ReplacingMessage[] => {
    const message = one.decode();
    if (message.role !== "user" && message.role !== "assistant") return [];
    return [{ message: withoutUsage(message), ...defined({ key: one.identity.key }) }];
  });
}

function withoutUsage(message: UserMessage | AssistantMessage): UserMessage | AssistantMessage {
  if (message.role === "user") return message;
  const { usage: _, ...rest } = message;
  return rest;
}
