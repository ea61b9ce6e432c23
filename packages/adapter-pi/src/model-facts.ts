import type { ModelCost, ModelFacts, ViewOptions } from "@self-context-manager/core";
import type { Connection } from "@self-context-manager/core/host";

import { type Fields, isFields } from "./pi-api.ts";
import { bindsThinking } from "./pi-thinking.ts";

/** Returns the options of a view for a model, as Pi describes it; only the thinking for a model without a name. */
export function viewOptions(
  model: unknown,
  connection: Pick<Connection<unknown>, "modelOptions">,
): ViewOptions {
  const thinking = bindsThinking(model) ? "bound" : "free";
  const facts = isFields(model) ? modelFacts(model) : undefined;
  if (facts !== undefined) return { ...connection.modelOptions(facts), thinking };
  return thinking === "bound" ? { thinking } : {};
}

function modelFacts(model: Fields): ModelFacts | undefined {
  const { provider, id, api, cost, promptCache } = model;
  if (typeof provider !== "string" || typeof id !== "string") return undefined;
  return {
    provider,
    id,
    ...(typeof api === "string" ? { api } : {}),
    ...(isFields(cost) ? { cost: modelCost(cost) } : {}),
    ...(isFields(promptCache) ? { promptCache: numbersIn(promptCache) } : {}),
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
