/** A message as it was sent: what it is known by, and its size as estimated. */
export interface SentMessage {
  /** Equal for equal bytes. */
  readonly digest: string;
  readonly tokens: number;
}

/**
 * How much of what was sent before stands unchanged at the head of what is sent now. It is measured on our own bytes
 * and says nothing about what a provider still has.
 */
export interface PrefixStability {
  /** Messages that stand unchanged. */
  readonly messages: number;
  /** Tokens of them. */
  readonly tokens: number;
  /** Tokens of everything that is sent now. */
  readonly promptTokens: number;
  /** Whether all that was sent before is still there: within an epoch it always is. */
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
