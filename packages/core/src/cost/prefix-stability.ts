/** A message that was sent: its digest and its estimated size. */
export interface SentMessage {
  /** Hash of the bytes: equal for equal bytes. */
  readonly digest: string;
  readonly tokens: number;
}

/**
 * The size of the prefix that the last request and this one have in common. It is measured on the bytes that the
 * context manager sends. Whether a provider still has them in its cache is another matter.
 */
export interface PrefixStability {
  /** Number of unchanged messages at the start. */
  readonly messages: number;
  /** Tokens of the unchanged messages. */
  readonly tokens: number;
  /** Tokens of all messages of this request. */
  readonly promptTokens: number;
  /** Whether all messages of the last request are unchanged. Within an epoch this is always the case. */
  readonly isAppended: boolean;
}

/** Compares two requests, message by message from the first. */
export function prefixStability(
  before: readonly SentMessage[],
  after: readonly SentMessage[],
): PrefixStability {
  let messages = 0;
  let tokens = 0;
  for (const [index, message] of after.entries()) {
    if (before[index]?.digest !== message.digest) break;
    messages += 1;
    tokens += message.tokens;
  }
  const promptTokens = after.reduce((sum, message) => sum + message.tokens, 0);
  return { messages, tokens, promptTokens, isAppended: messages === before.length };
}
