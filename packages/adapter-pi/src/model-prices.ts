import {
  type ModelCost,
  type ModelFacts,
  modelOptions,
  type PriceProfile,
} from "@self-context-manager/core";
import type { ThinkingBinding } from "@self-context-manager/core/host";

import { bindsThinking } from "./host-thinking.ts";
import { type Fields, isFields } from "./pi-api.ts";

/** The facts about a model that its views need. */
export interface ModelPrices {
  /** In the form `provider/id`. */
  readonly model?: string;
  readonly prices?: PriceProfile;
  readonly thinking?: ThinkingBinding;
}

type Retention = NonNullable<ModelFacts["retention"]>;

/**
 * Derives the prices from Pi's model data; empty for a model without a name. `retention` is what the last request asked
 * for, because Pi reports it in no other way.
 */
export function modelPrices(model: unknown, retention?: Retention): ModelPrices {
  const facts = isFields(model) ? modelFacts(model, retention) : undefined;
  if (facts === undefined) return {};
  return { ...modelOptions(facts), thinking: bindsThinking(model) ? "bound" : "free" };
}

function modelFacts(model: Fields, retention: Retention | undefined): ModelFacts | undefined {
  const { provider, id, api, cost, promptCache } = model;
  if (typeof provider !== "string" || typeof id !== "string") return undefined;
  return {
    provider,
    id,
    ...(typeof api === "string" ? { api } : {}),
    ...(isFields(cost) ? { cost: modelCost(cost) } : {}),
    ...(isFields(promptCache) ? { promptCache: numbersIn(promptCache) } : {}),
    ...(retention === undefined ? {} : { retention }),
  };
}

function modelCost(cost: Fields): ModelCost {
  const tiers = Array.isArray(cost["tiers"]) ? cost["tiers"].filter(isFields) : [];
  return {
    input: 0,
    ...numbersIn(cost),
    tiers: tiers.map((tier) => ({ inputTokensAbove: 0, input: 0, ...numbersIn(tier) })),
  };
}

function numbersIn(fields: Fields): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      (field): field is [string, number] => typeof field[1] === "number",
    ),
  );
}
