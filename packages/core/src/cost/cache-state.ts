import type { PriceProfile } from "./price-profile.ts";

/** The last use of the provider's cache by this session, as far as it is known; stored as JSON. */
export type CacheState = {
  /** Provider and id of the model, because each model has its own cache. */
  readonly model: string;
  /** Time when the call was sent, in milliseconds since 1970. */
  readonly used_at: number;
  /** Names the text before the messages, as far as the host shows it: the system prompt and the tools. */
  readonly head?: string;
};

/** The call for which the cache is looked at. */
export interface CacheUse {
  /** The model, as `cacheModel` names it. */
  readonly model: string;
  readonly now: number;
  readonly head?: string | undefined;
}

/** The reason why the cache holds nothing of the session. */
export type ColdReason = "never-called" | "model-switched" | "system-prompt" | "idle";

/** Returns the name under which a model's cache is recorded. */
export function cacheModel(model: { readonly provider: string; readonly id: string }): string {
  return `${model.provider}/${model.id}`;
}

/**
 * Returns why a rewrite of the sent bytes costs nothing extra now, or undefined while the cache may hold them. A
 * provider without a cache is never cold: its read and write prices are equal, so a rewrite never costs anything extra.
 * The policy alone decides then which objects leave the view.
 */
export function coldReason(
  state: CacheState | undefined,
  profile: PriceProfile,
  { model, now, head = state?.head }: CacheUse,
): ColdReason | undefined {
  if (profile.caching === "none") return undefined;
  if (state === undefined) return "never-called";
  if (state.model !== model) return "model-switched";
  // What is before the messages is also before them in the cache.
  if (state.head !== undefined && state.head !== head) return "system-prompt";
  if (profile.lifetime !== undefined && now - state.used_at > profile.lifetime) return "idle";
  return undefined;
}

/** Whether the cache holds nothing of the session. */
export function isCold(
  state: CacheState | undefined,
  profile: PriceProfile,
  use: CacheUse,
): boolean {
  return coldReason(state, profile, use) !== undefined;
}
