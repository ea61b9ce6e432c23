import type { PriceProfile } from "./price-profile.ts";

/** What our own last call left in the provider's cache, as far as we know; stored as JSON. */
export type CacheState = {
  /** Provider and id of the model, because each has a cache of its own. */
  readonly model: string;
  /** When the call was sent, in milliseconds since 1970. */
  readonly used_at: number;
};

/** Why nothing of what was sent before can be read from the cache. */
export type ColdReason = "never-called" | "model-switched" | "idle";

/** The name under which a model's cache is known. */
export function cacheModel(model: { readonly provider: string; readonly id: string }): string {
  return `${model.provider}/${model.id}`;
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
