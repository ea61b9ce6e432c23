import { textsOf } from "./message-texts.ts";
import { keyOf, type OpenClawMessage } from "./openclaw-messages.ts";

/** A history in which messages are separate again that the host had joined. */
export interface SplitMessages {
  readonly messages: readonly OpenClawMessage[];
  /** Joins them again in the messages of a request, so that a request has the same bytes as in the host. */
  readonly joined: (messages: readonly OpenClawMessage[]) => readonly OpenClawMessage[];
}

/**
 * Separates the messages of a history that the host has joined: answers or prompts that follow each other. A joined message has
 * the time of one of them, and the session knows each by its own time. `transcript` is read only if a message can be a joined
 * one. Never rejects: if it cannot be read, the history stays as it is.
 */
export async function splitMessages(
  history: readonly OpenClawMessage[],
  transcript: () => Promise<readonly OpenClawMessage[]>,
): Promise<SplitMessages> {
  const groups: (readonly OpenClawMessage[])[] = [];
  if (!history.some(canBeJoined)) return { messages: history, joined: (messages) => messages };
  try {
    const written = (await transcript()).filter(isSpoken);
    const messages = history.flatMap((message) => {
      const parts = canBeJoined(message) ? partsOf(message, written) : undefined;
      if (parts === undefined) return [message];
      groups.push(parts);
      return parts;
    });
    return { messages, joined: (list) => joinedIn(list, groups) };
  } catch {
    // The session then knows a joined message by the time of one of its parts.
    return { messages: history, joined: (messages) => messages };
  }
}

function canBeJoined(message: OpenClawMessage): boolean {
  return (message.role === "user" || message.role === "assistant") && textsOf(message).length > 1;
}

/** Whether a message is a prompt, or an answer of a model: the host leaves out its own answers to commands. */
function isSpoken({ role, provider }: OpenClawMessage): boolean {
  return role === "user" || (role === "assistant" && provider !== "openclaw");
}

/** Returns the messages that the host has joined into one; undefined if it is a single message. */
function partsOf(
  message: OpenClawMessage,
  written: readonly OpenClawMessage[],
): readonly OpenClawMessage[] | undefined {
  const at = written.findIndex(
    ({ role, timestamp }) => role === message.role && timestamp === message["timestamp"],
  );
  if (at === -1) return undefined;
  const text = textsOf(message).join("\n");
  // Joined answers have the time of the first one, and joined prompts that of the last one.
  const step = message.role === "assistant" ? 1 : -1;
  let parts: readonly OpenClawMessage[] = [];
  for (let index = at; written[index]?.role === message.role; index += step) {
    const part = written[index];
    if (part === undefined) return undefined;
    parts = step === 1 ? [...parts, part] : [part, ...parts];
    const joined = parts.flatMap(textsOf).join("\n");
    if (joined === text) return parts.length > 1 ? parts : undefined;
    if (joined.length >= text.length) return undefined;
  }
  return undefined;
}

function joinedIn(
  messages: readonly OpenClawMessage[],
  groups: readonly (readonly OpenClawMessage[])[],
): readonly OpenClawMessage[] {
  const followers = new Map(
    groups.flatMap((parts) =>
      parts.slice(1).map((part, index) => [keyOf(part), keyOf(parts[index] ?? part)] as const),
    ),
  );
  const times = new Set(groups.flat().map(({ timestamp }) => timestamp));
  const made: OpenClawMessage[] = [];
  let last: string | undefined;
  for (const message of messages) {
    const key = times.has(message["timestamp"]) ? keyOf(message) : undefined;
    const before = made.at(-1);
    const isNext = key !== undefined && last !== undefined && followers.get(key) === last;
    if (before !== undefined && isNext) made[made.length - 1] = joinedMessage(before, message);
    else made.push(message);
    last = key;
  }
  return made;
}

/** Joins two messages as the host does. */
function joinedMessage(before: OpenClawMessage, after: OpenClawMessage): OpenClawMessage {
  const content = [before, after].flatMap((message): readonly unknown[] => {
    const own = message["content"];
    if (typeof own === "string") return [{ type: "text", text: own }];
    return Array.isArray(own) ? own : [];
  });
  return after.role === "assistant" ? { ...after, ...before, content } : { ...after, content };
}
