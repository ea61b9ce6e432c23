import { fieldsOf } from "@self-context-manager/objects";
import type { Block } from "../chat/message.ts";

/**
 * Returns a content of a host's message as blocks: a text as one block, and none for no content; undefined if it is neither
 * of these nor a list of blocks.
 */
export function blocksIn(content: unknown): readonly Block[] | undefined {
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  return areBlocks(content) ? content : undefined;
}

/** Whether a content of a host's message is a list of blocks. */
export function areBlocks(content: unknown): content is readonly Block[] {
  return (
    Array.isArray(content) &&
    content.every((block: unknown) => typeof fieldsOf(block)["type"] === "string")
  );
}

/** The time of a host's message, if it has one. */
export function timeIn({ timestamp }: { readonly timestamp?: unknown }): {
  readonly timestamp?: number;
} {
  return typeof timestamp === "number" && Number.isFinite(timestamp) ? { timestamp } : {};
}
