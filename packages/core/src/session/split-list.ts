import type { Message } from "../chat/message.ts";
import type { KnownMessages } from "../history/known-messages.ts";
import { recogniseList } from "../history/recognise-list.ts";
import { areOwn, type ReadMessage } from "../host/read-list.ts";
import type { ViewMessage } from "../view/layout.ts";

/** A message that another extension of the host has added to one request, as the view shows it. */
interface AddedMessage {
  readonly message: ViewMessage;
  /** The number of messages of the host before it. */
  readonly after: number;
  /** Whether it is a prompt of the host that is back and has no place in the chat. */
  readonly isLate: boolean;
}

/** The messages of a host's list that belong to the session's history, and those that are only in this request. */
export interface SplitList {
  readonly own: readonly ReadMessage[];
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
export function splitList(
  messages: readonly ReadMessage[],
  known: KnownMessages,
  wasUnknown = false,
): SplitList {
  if (!wasUnknown && areOwn(messages)) return { own: messages, added: [], hasUnknown: false };
  const { keys } = recogniseList(messages.filter(isStored), known);
  const isKnown = keys().map((key) => known.known.has(key));
  const newest = isKnown.lastIndexOf(true);
  const own: ReadMessage[] = [];
  const added: AddedMessage[] = [];
  let hasUnknown = false;
  let at = -1;
  for (const one of messages) {
    if (isStored(one)) at += 1;
    const isNew = isStored(one) && isKnown[at] !== true && one.identity.role !== "assistant";
    const isLate = isNew && wasUnknown && at < newest && one.mark === "own" && isPrompt(one);
    if (isNew && one.mark === "left-out") hasUnknown = true;
    else if (isLate || !isStored(one))
      added.push({ message: shownMessage(one.decode()), after: own.length, isLate });
    else own.push(one);
  }
  return { own, added, hasUnknown };
}

function isStored({ mark }: ReadMessage): boolean {
  return mark !== "added";
}

function shownMessage(message: Message): ViewMessage {
  if (message.role !== "summary") return message;
  const { kind, raw } = message;
  return { role: "opaque", kind, raw };
}

/** Whether a message has no other place than its own: a result belongs to its call, and a summary replaces others. */
function isPrompt(one: ReadMessage): boolean {
  const { role } = one.decode();
  return role === "user" || role === "opaque";
}
