import type { PriceProfile } from "./price-profile.ts";
import type { ReportedUsage } from "../chat/message.ts";
import { promptOf } from "./reported-usage.ts";

/** The estimated cost of a prompt by a profile. None of its figures was reported by a provider. */
export interface EstimatedCost {
  /** Tokens that the cache is assumed to hold. */
  readonly cached: number;
  /** Tokens that the cache is assumed not to hold. */
  readonly fresh: number;
  /** Price in tokens of uncached input. */
  readonly units: number;
}

/**
 * Estimates the cost of a call of `promptTokens`, of which the first `sharedTokens` were sent before. `isCold`: the
 * cache holds none of them.
 */
export function estimatedCost(
  profile: PriceProfile,
  call: { readonly promptTokens: number; readonly sharedTokens: number; readonly isCold?: boolean },
): EstimatedCost {
  const { promptTokens } = call;
  const shared = Math.min(Math.max(0, call.sharedTokens), promptTokens);
  const isKept = profile.caching !== "none" && promptTokens >= profile.minimum;
  const hasEntry = isKept && call.isCold !== true && shared >= profile.minimum;
  const cached = hasEntry ? shared : 0;
  const fresh = promptTokens - cached;
  const freshPrice = isKept ? profile.write : 1;
  const units = (cached * profile.read + fresh * freshPrice) * tierFactor(profile, promptTokens);
  return { cached, fresh, units };
}

/** Returns the price of reported tokens by a profile, in tokens of uncached input. */
export function pricedUsage(profile: PriceProfile, usage: ReportedUsage): number {
  const { input, cacheRead, cacheWrite } = usage;
  const units = input + cacheRead * profile.read + cacheWrite * profile.write;
  return units * tierFactor(profile, promptOf(usage));
}

/** Returns the factor for the price of a prompt of this length. */
export function tierFactor(profile: PriceProfile, promptTokens: number): number {
  return profile.tiers.findLast(({ above }) => promptTokens > above)?.factor ?? 1;
}
