import { type Block, isText, isToolCall, type ViewMessage } from "@self-context-manager/core";

import { codeBlock } from "./committed-page.ts";

/** A message of a view, each block by itself. */
export function messageBlocks(message: ViewMessage, index: number): readonly string[] {
  const title = `Message ${index + 1}, role \`${message.role}\``;
  if (message.role === "opaque")
    return [`${title}:`, codeBlock("text", JSON.stringify(message.raw))];
  const blocks = typeof message.content === "string" ? [message.content] : message.content;
  return blocks.flatMap((block, number) => {
    const place = blocks.length === 1 ? "" : `, block ${number + 1}`;
    return [`${title}${place}:`, codeBlock("text", blockText(block))];
  });
}

function blockText(block: Block | string): string {
  if (typeof block === "string") return block;
  if (isText(block)) return block.text;
  if (isToolCall(block)) return `(tool call ${block.name} ${JSON.stringify(block.arguments)})`;
  return `(${block.type})`;
}
