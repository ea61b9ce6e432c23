import type { SeenMessage } from "./seen-request.ts";

/** A change of the messages of a request before a model for tests reads them. */
export type SeenChange = (messages: readonly SeenMessage[]) => readonly SeenMessage[];

/** A planted fault: the newest result of each request has no text, as of a layout that loses it. */
export const dropsNewest: SeenChange = (messages) => {
  const newest = messages.findLastIndex(({ role }) => role === "tool");
  return messages.map((message, index) => (index === newest ? { ...message, text: "" } : message));
};

/**
 * A planted fault: no line of the context manager names a handle, so objects that left cannot be opened by one. Contents and
 * the answers of searches are unchanged.
 */
export const withoutHandles: SeenChange = (messages) =>
  messages.map((message) => ({ ...message, text: unnamed(message.text) }));

function unnamed(text: string): string {
  let isFold = false;
  return text
    .split("\n")
    .map((line, index, lines) => {
      const isLine = /^\[.*\]$/u.test(line);
      if (isLine) isFold = / folded; /u.test(line);
      // The rows of a fold are in one fence.
      else if (isFold && line.startsWith("~~~") && lines[index - 1]?.startsWith("[") !== true)
        isFold = false;
      return isLine || isFold ? line.replaceAll(handle, "") : line;
    })
    .join("\n");
}

const handle = /(?<![\w/.-])(?:chat with turn \d+|[ftncsevuo]\d+)(?![\w/.-]) ?/gu;
