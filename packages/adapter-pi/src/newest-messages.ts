import { readList } from "@self-context-manager/core";

import { type Fields, isFields, type PiContext } from "./pi-api.ts";
import { piCodec } from "./pi-codec.ts";
import type { PiSession } from "./pi-sessions.ts";
import { branchOf, isListed, listedMessages, messageIn } from "./session-messages.ts";

/**
 * Ingests the messages that Pi has stored since the last request, because Pi passes its list only with the next one. A session
 * without a request waits for it: only then is the list known as other extensions have changed it.
 */
export async function ingestNewest({ connection, context }: PiSession): Promise<void> {
  const session = await connection.session();
  // The record has no times of other messages, by which Pi's list names them.
  const messages = [...listedMessages(context), ...brokenOff(context)].filter(
    ({ timestamp }) => timestamp !== undefined,
  );
  const known = await session.knownUntil(readList(messages, piCodec));
  if (known === 0 || known === messages.length) return;
  // Messages that an extension leaves out are not in the list again, except where the user went back to.
  await connection.ingest(connection.isRewound ? messages : messages.slice(known));
}

/** Returns the newest message if it is an answer that failed or was aborted. It ends the turn like any other. */
function brokenOff(context: PiContext): readonly Fields[] {
  const newest = branchOf(context)
    .filter(isFields)
    .findLast(({ type }) => type === "message");
  const message = messageIn(newest);
  return message?.["role"] === "assistant" && !isListed(message) ? [message] : [];
}
