import { defined } from "@self-context-manager/objects";

import { cacheModel } from "./cache-state.ts";
import { type ModelFacts, type PriceProfile, priceProfile } from "./price-profile.ts";
import { type ThinkingBinding, thinkingBinding } from "./thinking-binding.ts";

/** The options of a view that depend on its model. */
export interface ModelOptions {
  /** In the form `provider/id`. */
  readonly model: string;
  readonly prices: PriceProfile;
  readonly thinking: ThinkingBinding;
  /** In tokens. */
  readonly contextWindow?: number;
}

/**
 * Returns the options for the views of a model, from what a host knows about it: the prices by the host's data or by a
 * table of providers, and whether the model binds its thinking, by its id.
 */
export function modelOptions(facts: ModelFacts): ModelOptions {
  const { contextWindow } = facts;
  return {
    model: cacheModel(facts),
    prices: priceProfile(facts),
    thinking: thinkingBinding(facts.id),
    ...defined({ contextWindow }),
  };
}
