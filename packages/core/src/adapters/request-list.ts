import { type MarkedList, markedList } from "../host/marked-list.ts";
import type { MessageCodec } from "../host/message-codec.ts";

/** The lists of a request. */
export interface RequestLists<Raw> {
  /** The list of the request, without the system prompt. */
  readonly messages: readonly Raw[];
  /** The host's own messages, if other extensions can have changed the list (see `markedList`). */
  readonly host?: readonly Raw[];
  /** Those of `messages` that others added for this request. Default: none. */
  readonly added?: ReadonlySet<Raw>;
}

/** Returns the list that the session reads. */
export function listOf<Raw>(
  codec: MessageCodec<Raw>,
  { messages, host, added = new Set() }: RequestLists<Raw>,
): MarkedList<Raw> {
  if (host === undefined && added.size === 0) return { messages, codec };
  const own = host ?? messages.filter((message) => !added.has(message));
  return markedList(codec, { host: own, sent: messages, added });
}
