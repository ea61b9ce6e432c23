import type { WireMessage, WireRequest } from "@self-context-manager/evaluate/loopback";

/** Returns the errors in a request's messages for which a provider would refuse it. A test expects none. */
export const illegalities = ({ messages }: WireRequest): readonly string[] => {
  const found: string[] = [];
  let waiting: string[] = [];
  for (const [index, message] of messages.entries()) {
    const at = `message ${index} (${message.role})`;
    if (message.role === "tool") {
      const expected = waiting.shift();
      if (expected !== message.toolCallId) found.push(`${at} answers ${message.toolCallId}`);
    } else {
      if (waiting.length > 0) found.push(`${at} comes before the results of ${waiting.join(", ")}`);
      waiting = message.toolCalls.map(({ id }) => id);
    }
    const isEmpty = message.blocks.every((block) => block.type === "text" && block.text === "");
    if (isEmpty && message.toolCalls.length === 0) found.push(`${at} is empty`);
  }
  if (waiting.length > 0) found.push(`no results of ${waiting.join(", ")}`);
  return found;
};

/** Returns the message of the active contents. It is recognised by its last line. */
export const activeMessage = ({ messages }: WireRequest): WireMessage | undefined => {
  const last = messages.at(-1);
  return last?.role === "user" && /(^|\n)Active: /u.test(last.text) ? last : undefined;
};

/** Returns the handles of the content blocks, in order. */
export const shownHandles = (request: WireRequest): readonly string[] =>
  (activeMessage(request)?.blocks ?? []).flatMap((block) => {
    const handle = block.type === "text" ? /^([a-z]\d+) .*\n~~~/u.exec(block.text)?.[1] : undefined;
    return handle === undefined ? [] : [handle];
  });

/** Returns the handles that the last line names as active or as pinned. */
export const namedHandles = (request: WireRequest, set: "Active" | "Pinned"): readonly string[] => {
  const text = activeMessage(request)?.text ?? "";
  return new RegExp(`${set}: ([^.]*)\\.`, "u").exec(text)?.[1]?.split(" ") ?? [];
};

/** Returns all messages of a request after the system prompt, as one text. */
export const saidTo = ({ messages }: WireRequest): string =>
  JSON.stringify(messages.slice(1).map(({ raw }) => raw));
