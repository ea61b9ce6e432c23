import type { Block, ViewMessage } from "@self-context-manager/core";

import type { RecordedAssistant } from "../read/recorded-session.ts";

/** The characters of an answer that are measured, from its beginning: about 300 tokens. */
const longestAnswer = 1000;

/**
 * A message as text: a line with its role, its blocks each on a line of its own, and an empty line. The form is the same
 * for every model, so that results of different models can be compared, and the same for every view.
 */
export function messageText(message: ViewMessage): string {
  switch (message.role) {
    case "user":
      return `[user]\n${contentText(message.content)}\n\n`;
    case "assistant":
      return `${answerLine}${contentText(message.content)}\n\n`;
    case "toolResult":
      return `[result of ${message.toolName}${message.isError ? ", an error" : ""}]\n${contentText(message.content)}\n\n`;
    case "opaque":
      throw new TypeError(
        `a message of the kind ${message.kind} has no text; leave its strategy out`,
      );
  }
}

/** The line after which the answer begins. */
export const answerLine = "[assistant]\n";

/** The text and the tool calls of a recorded answer, at most its first 1,000 characters; empty if it has only thinking. */
export function answerText({ content }: Pick<RecordedAssistant, "content">): string {
  const text = contentText(content.filter(({ type }) => type !== "thinking"));
  const cut = text.slice(0, longestAnswer);
  // A surrogate pair is not divided: half of it is no text.
  return cut.isWellFormed() ? cut : text.slice(0, longestAnswer - 1);
}

function contentText(
  content: string | readonly (Block | RecordedAssistant["content"][number])[],
): string {
  if (typeof content === "string") return content;
  return content.map(blockText).join("\n");
}

function blockText(block: Block | RecordedAssistant["content"][number]): string {
  const fields: Readonly<Record<string, unknown>> = { ...block };
  if (typeof fields["text"] === "string") return fields["text"];
  if (typeof fields["thinking"] === "string") return `[thinking] ${fields["thinking"]}`;
  if (block.type === "toolCall")
    return `[call of ${String(fields["name"])}] ${JSON.stringify(fields["arguments"])}`;
  return `[${block.type}]`;
}
