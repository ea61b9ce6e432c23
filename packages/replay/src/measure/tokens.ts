import { madeOnce } from "@self-context-manager/objects";
import { countTokens as o200k } from "gpt-tokenizer/encoding/o200k_base";

import type { RecordedBlock, RecordedMessage } from "../read/recorded-session.ts";

/** Tokens that are counted for the system prompt and the tools at the beginning of every call. */
export const prefixTokens: number = 4000;
/** Tokens of a message apart from its text. */
export const messageOverhead: number = 4;
/** Tokens of an image of any size. */
export const imageTokens: number = 1500;

const known = new WeakMap<RecordedMessage, number>();

/**
 * The tokens of a recorded message: the o200k tokens of its text, its thinking and the JSON of its calls' names and
 * arguments, 1,500 for an image, and 4 for the message and for each of its calls. Ids and flags are not counted. The
 * count of a row is cached.
 */
export function countTokens(row: RecordedMessage): number {
  return madeOnce(known, row, ({ content }) =>
    content.reduce((sum, block) => sum + countBlock(block), messageOverhead),
  );
}

/** The tokens of one block, as `countTokens` counts them. */
function countBlock(block: RecordedBlock): number {
  switch (block.type) {
    case "text":
      return countText(block.text);
    case "thinking":
      return countText(block.thinking);
    case "toolCall":
      return (
        countText(JSON.stringify({ name: block.name, arguments: block.arguments })) +
        messageOverhead
      );
    case "image":
      return imageTokens;
  }
}

/** The encoding treats a run of one kind as one piece, and its time grows with the square of the piece's length. */
const longestRun = 1024;

/**
 * The o200k tokens of a text; text that looks like a special token is counted as text. A run of 1,024 letters, signs or
 * white space is cut at that length, which can add a token.
 */
export function countText(text: string): number {
  if (text.length < longestRun) return encodedLength(text);
  let tokens = 0;
  let start = 0;
  let run = 0;
  let kind: (typeof Kind)[keyof typeof Kind] = Kind.digit;
  for (let at = 0; at < text.length; at += 1) {
    const next = kindOf(text.charCodeAt(at));
    run = next === kind ? run + 1 : 1;
    kind = next;
    // The encoding takes digits three at a time, so runs of digits stay short. A surrogate pair is not divided.
    if (run >= longestRun && kind !== Kind.digit && !isLeading(text.charCodeAt(at))) {
      tokens += encodedLength(text.slice(start, at + 1));
      start = at + 1;
      run = 0;
    }
  }
  return tokens + encodedLength(start === 0 ? text : text.slice(start));
}

const Kind = { digit: 0, letter: 1, sign: 2, space: 3 } as const;

/** A character outside ASCII counts as a letter. */
function kindOf(code: number): (typeof Kind)[keyof typeof Kind] {
  if (code <= 32) return Kind.space;
  if (code >= 48 && code <= 57) return Kind.digit;
  const isLetter = code > 127 || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return isLetter ? Kind.letter : Kind.sign;
}

function isLeading(code: number): boolean {
  return code >= 0xd8_00 && code <= 0xdb_ff;
}

function encodedLength(text: string): number {
  return o200k(text, { disallowedSpecial: new Set<string>() });
}
