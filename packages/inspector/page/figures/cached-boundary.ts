/** The place in a call up to which the provider read the prompt from its cache; it is an estimate. */
export interface CachedBoundary {
  /** The messages that are wholly cached. */
  readonly messages: number;
  /** The cached share of the next message, from 0 to below 1. */
  readonly share: number;
}

/**
 * Finds the message at which the provider's cached part ends. `before`: tokens before the messages, as the provider counts
 * them; `messages`: tokens of each message in the same unit; `first`: the first message that differs from the call before,
 * because a cache has only what was sent before and cannot be read behind a difference.
 */
export function cachedBoundary(
  cached: number,
  before: number,
  messages: readonly number[],
  first: number = messages.length,
): CachedBoundary {
  let rest = cached - before;
  for (const [index, tokens] of messages.slice(0, first).entries()) {
    if (rest < tokens) return { messages: index, share: rest <= 0 ? 0 : rest / tokens };
    rest -= tokens;
  }
  return { messages: Math.min(first, messages.length), share: 0 };
}
