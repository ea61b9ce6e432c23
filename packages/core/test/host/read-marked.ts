import type { Message } from "../../src/chat/message.ts";
import { neutralCodec } from "../../src/host/neutral-codec.ts";
import { type ReadList, readList, type ReadMessage } from "../../src/host/read-list.ts";

/** Reads a list of which some messages have a mark. */
export function readMarked(
  messages: readonly Message[],
  mark: ReadMessage["mark"],
  isMarked: (message: Message) => boolean,
): ReadList<Message> {
  const list = readList(messages, neutralCodec);
  return {
    messages: list.messages.map((one) => (isMarked(one.raw) ? { ...one, mark } : one)),
  };
}
