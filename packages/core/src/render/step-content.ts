import type { Block } from "../chat/message.ts";

/** What a tool call without a result is answered with, so that the sequence stays legal. */
export const noResult = "[no result: the call was interrupted]";

/** A content without text blocks that say nothing: providers refuse them. */
export function withoutEmpty(content: string | readonly Block[]): string | readonly Block[] {
  if (typeof content === "string") return content.trim() === "" ? "" : content;
  return content.filter((block) => !isEmptyText(block));
}

function isEmptyText(block: Block): boolean {
  return (
    block.type === "text" && (typeof block["text"] !== "string" || block["text"].trim() === "")
  );
}

/** A recorded time as a message carries it. */
export function timeOf(timestamp: number | null): { readonly timestamp?: number } {
  return timestamp === null ? {} : { timestamp };
}
