import {
  type Block,
  isImage,
  isText,
  isToolCall,
  type ViewMessage,
} from "@self-context-manager/core";

import { visible } from "./terminal-text.ts";

/** A message for a person to read: a line with its number and role, then its blocks. */
export function messageText(message: ViewMessage | undefined, number: number): string {
  if (message === undefined) return `--- ${number} cannot be rebuilt\n`;
  switch (message.role) {
    case "opaque":
      return `--- ${number} ${visible(message.kind)}\n${JSON.stringify(message.raw)}\n`;
    case "toolResult": {
      const status = message.isError ? "failed" : "ok";
      const title = `${message.toolName} ${message.toolCallId} ${status}`;
      return `--- ${number} result of ${visible(title)}\n${blocksText(message.content)}`;
    }
    case "user":
    case "assistant":
      return `--- ${number} ${message.role}\n${blocksText(message.content)}`;
  }
}

/** A text with a line feed at its end. */
export function shownText(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

function blocksText(content: string | readonly Block[]): string {
  return typeof content === "string" ? shownText(content) : content.map(blockText).join("");
}

function blockText(block: Block): string {
  if (isText(block)) return shownText(block.text);
  if (isToolCall(block))
    return shownText(`(call ${block.id}) ${block.name} ${JSON.stringify(block.arguments)}`);
  if (isImage(block))
    return `(image ${visible(block.mimeType)}, ${block.data.length} characters)\n`;
  const thinking = block["thinking"];
  if (typeof thinking === "string") return shownText(`(${block.type}) ${thinking}`);
  return shownText(`(${block.type}) ${JSON.stringify(block)}`);
}
