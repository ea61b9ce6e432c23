import type { ReadList, ReadMessage } from "../host/read-list.ts";
import type { ContextSession } from "../session/context-session.ts";

/** Whether a list begins the chat again: it ends in a user's message and has no answer. */
export function beginsAgain(list: ReadList): boolean {
  const own = ownMessages(list);
  return endsInPrompt(own) && !own.some(({ identity }) => identity.role === "assistant");
}

/**
 * Whether a list is a request to answer its last message again: it ends in a user's message which the session already has.
 * If no answer followed the message, going back to it changes nothing.
 */
export async function isAnsweredAgain(session: ContextSession, list: ReadList): Promise<boolean> {
  const messages = ownMessages(list);
  if (!endsInPrompt(messages)) return false;
  return (await session.knownUntil({ ...list, messages }, { rewound: true })) === messages.length;
}

function endsInPrompt(messages: readonly ReadMessage[]): boolean {
  return messages.at(-1)?.identity.role === "user";
}

/** Returns the messages of the host's history, also those that this request does not have. */
function ownMessages({ messages }: ReadList): readonly ReadMessage[] {
  return messages.filter(({ mark }) => mark !== "added");
}
