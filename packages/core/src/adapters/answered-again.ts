import type { HostSignals } from "../history/ingest-messages.ts";
import type { MessageCodec } from "../host/message-codec.ts";
import { type ReadList, readList } from "../host/read-list.ts";
import type { Connection } from "./connection.ts";

/**
 * Returns the signals for a request of a host that does not report that the user went back, and always has the whole chat in
 * its list. A list that ends in a user's message which the session already has is a request to answer it again: if no answer
 * followed the message, going back to it changes nothing. A list without an answer begins the chat again. Never rejects.
 */
export async function answeredAgain<Raw>(
  connection: Pick<Connection<Raw>, "attempt">,
  codec: MessageCodec<Raw>,
  messages: readonly Raw[],
): Promise<HostSignals> {
  const list = read(messages, codec);
  if (list === undefined) return {};
  const roles = list.messages.map(({ identity }) => identity.role);
  if (roles.at(-1) !== "user") return {};
  const signals = { rewound: true } as const;
  if (!roles.includes("assistant")) return signals;
  // After a failure the model call meets the same one.
  const known = await connection.attempt(
    async (session) => await session.knownUntil(list, signals),
  );
  return known === messages.length ? signals : {};
}

/** Reads a list; undefined if the codec failed. The model call meets the same failure, and reports it. */
function read<Raw>(messages: readonly Raw[], codec: MessageCodec<Raw>): ReadList<Raw> | undefined {
  try {
    return readList(messages, codec);
  } catch {
    return undefined;
  }
}
