import {
  type Block,
  isImage,
  isText,
  isToolCall,
  type ViewMessage,
} from "@self-context-manager/core";

/** A message as a person reads it: a line that says whose it is, then its blocks. */
export function messageText(message: ViewMessage | undefined, number: number): string {
  if (message === undefined) return `--- ${number} cannot be made again\n`;
  switch (message.role) {
    case "opaque":
      return `--- ${number} ${shown(message.kind)}\n${shown(JSON.stringify(message.raw))}\n`;
    case "toolResult": {
      const status = message.isError ? "failed" : "ok";
      const title = `${message.toolName} ${message.toolCallId} ${status}`;
      return `--- ${number} result of ${shown(title)}\n${blocksText(message.content)}`;
    }
    case "user":
    case "assistant":
      return `--- ${number} ${message.role}\n${blocksText(message.content)}`;
  }
}

/** Text with an end of line at its end. What would steer a terminal is shown; ends of lines and tabs stay. */
export function shownText(text: string): string {
  return text.endsWith("\n") ? shown(text) : `${shown(text)}\n`;
}

function blocksText(content: string | readonly Block[]): string {
  return typeof content === "string" ? shownText(content) : content.map(blockText).join("");
}

function blockText(block: Block): string {
  if (isText(block)) return shownText(block.text);
  if (isToolCall(block))
    return shownText(`(call ${block.id}) ${block.name} ${JSON.stringify(block.arguments)}`);
  if (isImage(block)) return `(image ${shown(block.mimeType)}, ${block.data.length} characters)\n`;
  const thinking = block["thinking"];
  if (typeof thinking === "string") return shownText(`(${block.type}) ${thinking}`);
  return shownText(`(${block.type}) ${JSON.stringify(block)}`);
}

function shown(text: string): string {
  return text.replaceAll(
    /(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
