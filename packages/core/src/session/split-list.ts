import { toJson } from "@self-context-manager/objects";
import type { Message } from "../chat/message.ts";
import type { MessageCodec, MessageIdentity } from "../host/message-codec.ts";
import { type KnownMessages, keysOf } from "../history/known-keys.ts";
import { identify } from "../host/message-identity.ts";
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
  known: KnownMessages,
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
  known: KnownMessages,
  wasUnknown: boolean,
): { readonly unknown: ReadonlySet<Raw>; readonly late: ReadonlySet<Raw> } {
  const stored = messages.filter((raw) => codec.identify(raw).isForOneRequest !== true);
  const identities = stored.map((raw) => identify(raw, codec));
  const isKnown = keysOf(identities, known).map((key) => known.known.has(key));
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
