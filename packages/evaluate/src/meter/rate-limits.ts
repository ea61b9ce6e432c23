import type { MeterClock } from "./clock.ts";

/** The rate limits of one provider, over the last minute. */
export interface RateLimits {
  /** Waits, in order of arrival, until a request may be sent. Resolves with undefined if the signal is aborted. */
  admit(tokens: number, signal: AbortSignal): Promise<AdmittedRequest | undefined>;
  /** Lets all requests to the provider wait for this time. */
  pause(milliseconds: number): void;
}

/** A request that may be sent. */
export interface AdmittedRequest {
  /** Replaces the estimate by the tokens that the provider reported. */
  correct(tokens: number): void;
}

export interface RateLimitOptions {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  readonly clock: MeterClock;
}

const minute = 60_000;

interface SentRequest {
  readonly at: number;
  tokens: number;
}

/** Opens the rate limits of one provider. A request with more tokens than the limit is sent alone in its minute. */
export function rateLimits({
  requestsPerMinute = Infinity,
  tokensPerMinute = Infinity,
  clock,
}: RateLimitOptions): RateLimits {
  let sent: SentRequest[] = [];
  let pausedUntil = 0;
  let last: Promise<void> = Promise.resolve();

  /** Milliseconds until a request with these tokens is within the limits. */
  const wait = (tokens: number): number => {
    const now = clock.now();
    sent = sent.filter(({ at }) => at + minute > now);
    const over = sent.length - requestsPerMinute;
    const free = over < 0 ? now : (sent[over]?.at ?? now) + minute;
    return Math.max(pausedUntil, free, freeForTokens(tokens, now)) - now;
  };

  /** The time when the tokens of the last minute leave enough for a request. */
  const freeForTokens = (tokens: number, now: number): number => {
    let used = sent.reduce((sum, request) => sum + request.tokens, 0);
    let free = now;
    for (const request of sent) {
      if (used + tokens <= tokensPerMinute) break;
      used -= request.tokens;
      free = request.at + minute;
    }
    return free;
  };

  return {
    admit: async (tokens, signal) => {
      const before = last;
      const turn = Promise.withResolvers<void>();
      last = turn.promise;
      try {
        await before;
        for (let ms = wait(tokens); ms > 0 && !signal.aborted; ms = wait(tokens))
          await clock.sleep(ms, signal);
        if (signal.aborted) return undefined;
        const request: SentRequest = { at: clock.now(), tokens };
        sent.push(request);
        return {
          correct: (reported) => {
            request.tokens = reported;
          },
        };
      } finally {
        turn.resolve();
      }
    },
    pause: (milliseconds) => {
      pausedUntil = Math.max(pausedUntil, clock.now() + milliseconds);
    },
  };
}
