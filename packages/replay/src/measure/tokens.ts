import { countTokens as o200k } from "gpt-tokenizer/encoding/o200k_base";

import type { RecordedBlock, RecordedMessage } from "../read/recorded-session.ts";

/** What stands for the system prompt and the tools in front of every call. */
export const prefixTokens: number = 4000;
/** What each message costs beside its text. */
export const messageOverhead: number = 4;
/** What an image counts, whatever its size. */
export const imageTokens: number = 1500;

const known = new WeakMap<RecordedMessage, number>();

/**
 * The tokens of a recorded message: o200k of its text, its thinking and the JSON of its calls' arguments, 1,500 for an
 * image, and 4 for the message. Names, ids and flags are not counted. Each row is counted once.
 */
export function countTokens(row: RecordedMessage): number {
  const before = known.get(row);
  if (before !== undefined) return before;
  const tokens = row.content.reduce((sum, block) => sum + countBlock(block), messageOverhead);
  known.set(row, tokens);
  return tokens;
}

/** The tokens of one block, as `countTokens` adds them up. */
export function countBlock(block: RecordedBlock): number {
  switch (block.type) {
    case "text":
      return countText(block.text);
    case "thinking":
      return countText(block.thinking);
    case "toolCall":
      return countText(JSON.stringify(block.arguments));
    case "image":
      return imageTokens;
  }
}

/** The o200k tokens of a text; what looks like a special token counts as text. */
export function countText(text: string): number {
  return o200k(text, { disallowedSpecial: new Set<string>() });
}
