import { estimatedCost } from "./estimated-cost.ts";
import type { PriceProfile } from "./price-profile.ts";
import type { ReportedUsage } from "../chat/message.ts";

/**
 * The cost of a session so far; stored as JSON. `estimated` and `append_only` come from the same estimator and price
 * profile, so they can be compared. `reported` comes from the provider and is not comparable with either.
 */
export type CostAccount = {
  readonly estimated: {
    readonly calls: number;
    readonly cached: number;
    readonly fresh: number;
    /** Cost in tokens of uncached input. */
    readonly units: number;
  };
  /** Cost of the same calls with every output kept where it arrived. */
  readonly append_only: { readonly cached: number; readonly fresh: number; readonly units: number };
  readonly reported: {
    readonly calls: number;
    readonly input: number;
    readonly cache_read: number;
    readonly cache_write: number;
  };
  /** Tokens of the last messages of an append-only session, before calibration. */
  readonly append_only_prompt: number;
};

/** The account of a session without calls. */
export const emptyAccount: CostAccount = {
  estimated: { calls: 0, cached: 0, fresh: 0, units: 0 },
  append_only: { cached: 0, fresh: 0, units: 0 },
  reported: { calls: 0, input: 0, cache_read: 0, cache_write: 0 },
  append_only_prompt: 0,
};

/** One call that is sent. Its tokens are before calibration, except those of the overhead. */
export interface CountedCall {
  /** Tokens of the messages. */
  readonly promptTokens: number;
  /** Tokens at the start that the last call also had. */
  readonly sharedTokens: number;
  /** Tokens of the prompt that an append-only session would send now, by the same estimator. */
  readonly appendOnlyTokens: number;
  /**
   * Tokens that the host puts before the messages, as far as they are known; default 0. They are the same for the
   * append-only session. The figure comes from the provider's reports, so it counts as sent before in every call except
   * the first.
   */
  readonly overheadTokens?: number;
  /** Factor from an estimate to the provider's count; default 1. */
  readonly factor?: number;
  /** Whether the provider's cache is cold. It is then cold for the append-only session too. */
  readonly isCold: boolean;
}

/** Returns the account with one more call. */
export function countCall(
  account: CostAccount,
  profile: PriceProfile,
  call: CountedCall,
): CostAccount {
  const { appendOnlyTokens, overheadTokens = 0, factor = 1, isCold } = call;
  const known = account.estimated.calls === 0 ? 0 : overheadTokens;
  const managedCost = estimatedCost(profile, {
    promptTokens: call.promptTokens * factor + overheadTokens,
    sharedTokens: call.sharedTokens * factor + known,
    isCold,
  });
  const appendOnlyCost = estimatedCost(profile, {
    promptTokens: appendOnlyTokens * factor + overheadTokens,
    // An append-only prompt begins with all of the last one, unless the user went back.
    sharedTokens: Math.min(account.append_only_prompt, appendOnlyTokens) * factor + known,
    isCold,
  });
  const { estimated, append_only: appendOnly } = account;
  return {
    ...account,
    estimated: {
      calls: estimated.calls + 1,
      cached: estimated.cached + managedCost.cached,
      fresh: estimated.fresh + managedCost.fresh,
      units: estimated.units + managedCost.units,
    },
    append_only: {
      cached: appendOnly.cached + appendOnlyCost.cached,
      fresh: appendOnly.fresh + appendOnlyCost.fresh,
      units: appendOnly.units + appendOnlyCost.units,
    },
    append_only_prompt: appendOnlyTokens,
  };
}

/** Returns the account with the usage that the provider reported for a call. */
export function countReport(account: CostAccount, usage: ReportedUsage): CostAccount {
  const { reported } = account;
  return {
    ...account,
    reported: {
      calls: reported.calls + 1,
      input: reported.input + usage.input,
      cache_read: reported.cache_read + usage.cacheRead,
      cache_write: reported.cache_write + usage.cacheWrite,
    },
  };
}

/**
 * Returns estimated cost divided by estimated append-only cost. 0.6 means that two fifths are saved. Undefined before
 * the first call.
 */
export function costRatio(account: CostAccount): number | undefined {
  const { estimated, append_only: appendOnly } = account;
  return appendOnly.units > 0 ? estimated.units / appendOnly.units : undefined;
}

/** Number of calls without a cached token that cannot be an accident. */
const tellingCalls = 3;

/**
 * Returns the profile, corrected by the provider's reports. If several prompts of sufficient length were neither read
 * from the cache nor written to it, a cache with explicit breakpoints is not in use: it is switched off, or a proxy
 * removes the markers. Then the reported tokens are billed as uncached input.
 */
export function reportedProfile(
  profile: PriceProfile,
  account: CostAccount | undefined,
): PriceProfile {
  const reported = account?.reported;
  if (profile.caching !== "explicit" || reported === undefined) return profile;
  const { calls, input, cache_read: read, cache_write: write } = reported;
  const isTelling = calls >= tellingCalls && input >= calls * profile.minimum;
  if (!isTelling || read > 0 || write > 0) return profile;
  const { lifetime: _none, ...rest } = profile;
  return { ...rest, read: 1, write: 1, minimum: 0, caching: "none" };
}
