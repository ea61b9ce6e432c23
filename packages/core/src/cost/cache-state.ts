import type { PriceProfile } from "./price-profile.ts";
import type { ReportedUsage } from "./reported-usage.ts";

/** What our own last call left in the provider's cache, as far as we know; stored as JSON. */
export type CacheState = {
  /** Provider and id of the model, because each has a cache of its own. */
  readonly model: string;
  /** When the call was sent, in milliseconds since 1970. */
  readonly used_at: number;
  /** Tokens of the prompt, as estimated. */
  readonly prompt_tokens: number;
  /** Indexes of the messages at whose ends the request had a breakpoint. */
  readonly breakpoints: readonly number[];
  /** What the provider reported of this call; absent until it has answered. */
  readonly reported?: { readonly cache_read: number; readonly cache_write: number };
};

/** Why nothing of what was sent before can be read from the cache. */
export type ColdReason = "never-called" | "model-switched" | "idle";

/** The name under which a model's cache is known. */
export function cacheModel(model: { readonly provider: string; readonly id: string }): string {
  return `${model.provider}/${model.id}`;
}

/** The state that a call leaves behind. */
export function afterCall(call: {
  readonly model: string;
  readonly sentAt: number;
  readonly promptTokens: number;
  readonly breakpoints?: readonly number[];
}): CacheState {
  return {
    model: call.model,
    used_at: call.sentAt,
    prompt_tokens: call.promptTokens,
    breakpoints: [...(call.breakpoints ?? [])],
  };
}

/** The state with what the provider reported of the same call. */
export function afterReport(state: CacheState, usage: ReportedUsage): CacheState {
  return {
    ...state,
    reported: { cache_read: usage.cacheRead, cache_write: usage.cacheWrite },
  };
}

/**
 * Why a rewrite of the sent bytes costs nothing extra now; undefined while the cache may hold them. A provider that
 * caches nothing is never cold: there `read` equals `write`, so that a rewrite is free at every call by price, and what
 * leaves is for the policy to say and not for the cache.
 */
export function coldReason(
  state: CacheState | undefined,
  now: number,
  profile: PriceProfile,
  model: string,
): ColdReason | undefined {
  if (profile.caching === "none") return undefined;
  if (state === undefined) return "never-called";
  if (state.model !== model) return "model-switched";
  if (profile.lifetime !== undefined && now - state.used_at > profile.lifetime) return "idle";
  return undefined;
}

/** Whether nothing of what was sent before can be read from the cache: idle too long, another model, or no call yet. */
export function isCold(
  state: CacheState | undefined,
  now: number,
  profile: PriceProfile,
  model: string,
): boolean {
  return coldReason(state, now, profile, model) !== undefined;
}
