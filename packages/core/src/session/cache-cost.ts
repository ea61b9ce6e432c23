import { defined, sha256 } from "@self-context-manager/objects";
import { type CacheState, isCold } from "../cost/cache-state.ts";
import type { PriceProfile } from "../cost/price-profile.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { CacheCost } from "../view/layout.ts";
import type { ViewOptions } from "./view-options.ts";

/** The prices of an unknown model: the usual prices of Anthropic. */
export const usualPrices: PriceProfile = {
  read: 0.1,
  write: 1.25,
  lifetime: 300_000,
  minimum: 1_024,
  tiers: [],
  caching: "explicit",
  source: "default",
};

/** Returns what the provider's cache has of a session, and what it costs, for the next call. */
export function cacheCost({ state, dependencies }: SessionScope, options: ViewOptions): CacheCost {
  const prices = options.prices ?? usualPrices;
  const now = dependencies.clock?.now();
  const last = state.sent.view?.cache;
  const isKnown = now !== undefined && last !== undefined;
  const heldFrom =
    now === undefined || prices.lifetime === undefined ? undefined : now - prices.lifetime;
  return {
    read: prices.read,
    write: prices.write,
    isCold:
      isKnown &&
      isCold(last, prices, { model: options.model ?? "", now, head: headKey(options.head) }),
    rewrites: rewritten(prices, options),
    ...defined({ heldFrom }),
  };
}

/** Returns a short name of the text before the messages, as it is stored with a call. */
function headKey(head: string | undefined): string | undefined {
  return head === undefined || head.length <= longestKey ? head : sha256(head).slice(0, longestKey);
}

const longestKey = 16;

/** Returns the use of the provider's cache by a call. */
export function cacheUse({ model = "", head }: ViewOptions, sentAt: number): CacheState {
  return { model, used_at: sentAt, ...defined({ head: headKey(head) }) };
}

/** Returns what a provider writes again after a change of sent messages. */
function rewritten({ caching }: PriceProfile, { breakpoints }: ViewOptions): CacheCost["rewrites"] {
  if (breakpoints === "host") return "everything";
  return caching === "explicit" ? "after-a-mark" : "what-follows";
}
