import { madeOnce } from "@self-context-manager/objects";
import type { Block, ViewMessage } from "@self-context-manager/core";
import type { ViewEntry } from "@self-context-manager/core/layout";

import type { Part } from "../measure/call-view.ts";
import { countText, imageTokens, messageOverhead } from "../measure/tokens.ts";

/** Tokens of a host's summary, including its message. */
export const summaryTokens: number = 1500;

/** Counts the messages of views; each text is counted once. */
export interface MessageCounter {
  readonly count: (message: ViewMessage) => number;
  /** A message as a block of the prompt; `entry` is its view entry, if the layout has one. */
  readonly part: (message: ViewMessage, entry: ViewEntry | undefined) => Part;
}

/** A counter for the views of one segment; it caches the count of every text. */
export function messageCounter(): MessageCounter {
  const texts = new Map<string, number>();
  const messages = new WeakMap<ViewMessage, number>();
  const parts = new WeakMap<ViewEntry | ViewMessage, Part>();

  function tokensOf(text: string): number {
    return madeOnce(texts, text, countText);
  }

  function blockTokens(block: Block): number {
    const text = block.type === "thinking" ? block["thinking"] : block["text"];
    if (typeof text === "string") return tokensOf(text);
    if (block.type === "image") return imageTokens;
    if (block.type !== "toolCall") return tokensOf(JSON.stringify(block));
    const called = { name: block["name"], arguments: block["arguments"] };
    return tokensOf(JSON.stringify(called)) + messageOverhead;
  }

  function count(message: ViewMessage): number {
    if (message.role === "opaque") return summaryTokens;
    let tokens = messages.get(message);
    if (tokens !== undefined) return tokens;
    const { content } = message;
    tokens =
      messageOverhead +
      (typeof content === "string"
        ? tokensOf(content)
        : content.reduce((sum, block) => sum + blockTokens(block), 0));
    messages.set(message, tokens);
    return tokens;
  }

  return {
    count,
    part(message, entry) {
      const source = entry ?? message;
      let part = parts.get(source);
      if (part === undefined) {
        part = {
          key: entry === undefined ? keyOf(message) : JSON.stringify(entry),
          tokens: count(message),
          blocks: blocksOf(message),
        };
        parts.set(source, part);
      }
      return part;
    },
  };
}

function blocksOf(message: ViewMessage): number {
  return message.role === "assistant" ? Math.max(1, message.content.length) : 1;
}

function keyOf(message: ViewMessage): string {
  return `${message.role} ${JSON.stringify(message.role === "opaque" ? message.raw : message.content)}`;
}
