/** The place in a call up to which the provider read the prompt from its cache; it is an estimate. */
export interface CachedBoundary {
  /** The messages that are wholly cached. */
  readonly messages: number;
  /** The cached share of the next message, from 0 to below 1. */
  readonly share: number;
}

/**
 * Finds the message at which the provider's cached part ends. `before`: tokens before the messages, as the provider counts
 * them; `messages`: tokens of each message in the same unit.
 */
export function cachedBoundary(
  cached: number,
  before: number,
  messages: readonly number[],
): CachedBoundary {
  let rest = cached - before;
  for (const [index, tokens] of messages.entries()) {
    if (rest < tokens) return { messages: index, share: rest <= 0 ? 0 : rest / tokens };
    rest -= tokens;
  }
  return { messages: messages.length, share: 0 };
}
