import { estimatedCost } from "./estimated-cost.ts";
import type { PriceProfile } from "./price-profile.ts";
import type { ReportedUsage } from "./reported-usage.ts";

/**
 * What a session has cost so far; stored as JSON. `estimated` and `append_only` are ours, by the same estimator and
 * profile, so that they can be compared with each other; `reported` is the provider's and is compared with neither.
 */
export type CostAccount = {
  readonly estimated: {
    readonly calls: number;
    readonly cached: number;
    readonly fresh: number;
    /** In tokens of uncached input. */
    readonly units: number;
  };
  /** What the same calls would have cost with everything left where it was. */
  readonly append_only: { readonly cached: number; readonly fresh: number; readonly units: number };
  readonly reported: {
    readonly calls: number;
    readonly input: number;
    readonly cache_read: number;
    readonly cache_write: number;
  };
  /** Tokens of the messages that an append-only session would have sent last, before calibration. */
  readonly append_only_prompt: number;
};

/** A session that has made no call. */
export const emptyAccount: CostAccount = {
  estimated: { calls: 0, cached: 0, fresh: 0, units: 0 },
  append_only: { cached: 0, fresh: 0, units: 0 },
  reported: { calls: 0, input: 0, cache_read: 0, cache_write: 0 },
  append_only_prompt: 0,
};

/** One call as it goes out; its tokens are before calibration, but for the overhead's. */
export interface CountedCall {
  /** Tokens of the messages. */
  readonly promptTokens: number;
  /** Tokens at the head that the call before had as well. */
  readonly sharedTokens: number;
  /** Tokens of the prompt that an append-only session would send now, by the same estimator. */
  readonly appendOnlyTokens: number;
  /**
   * Tokens that the host puts before the messages of either session, as far as they are known by now: they are learned
   * from reports, and count as sent before in every call but the first.
   */
  readonly overheadTokens?: number;
  /** What an estimate is multiplied by to be what the provider counts; 1 unless told. */
  readonly factor?: number;
  /** Whether the provider's cache was lost; it is then for either session. */
  readonly isCold: boolean;
}

/** The account with one call more. */
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
    // An append-only prompt begins with all of the one before, unless the user went back.
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

/** The account with what the provider reported of a call. */
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

/** Estimated cost over estimated append-only cost: 0.6 is two fifths saved. Undefined before the first call. */
export function costRatio(account: CostAccount): number | undefined {
  const { estimated, append_only: appendOnly } = account;
  return appendOnly.units > 0 ? estimated.units / appendOnly.units : undefined;
}

/** So many calls without a token of the cache are no accident. */
const tellingCalls = 3;

/**
 * The profile as the provider's reports show it: where prompts that are long enough were neither read nor written in
 * several calls, what takes explicit breakpoints caches nothing (switched off, or a proxy drops the markers), and what
 * is reported is what is billed.
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
