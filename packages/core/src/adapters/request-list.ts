import { markedList } from "../host/marked-list.ts";
import type { MessageCodec } from "../host/message-codec.ts";
import { type ReadList, readList } from "../host/read-list.ts";

/** The lists of a request. */
export interface RequestLists<Raw> {
  /** The list of the request, without the system prompt. */
  readonly messages: readonly Raw[];
  /** The host's own messages, if other extensions can have changed the list (see `markedList`). */
  readonly host?: readonly Raw[];
  /** Those of `messages` that others added for this request. Default: none. */
  readonly added?: ReadonlySet<Raw>;
}

/** Returns the list for the session. `sent`: the list of the request, as it was read. */
export function listOf<Raw>(
  sent: ReadList<Raw>,
  codec: MessageCodec<Raw>,
  { messages, host, added = new Set() }: RequestLists<Raw>,
): ReadList {
  if (host === undefined && added.size === 0) return sent;
  const own = host ?? messages.filter((message) => !added.has(message));
  return markedList({ host: readList(own, codec, sent), sent, added });
}
