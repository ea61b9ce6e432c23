import {
  type ModelCost,
  type ModelFacts,
  modelOptions,
  type ViewOptions,
} from "@self-context-manager/core";
import { defined, fieldsOf } from "@self-context-manager/core/host";

import type { AssembleParameters } from "./openclaw-api.ts";

/** Returns the options of a view from what the host says about its model: in the request, and in its configuration. */
export function viewOptions(
  { runtimeSettings }: Pick<AssembleParameters, "runtimeSettings">,
  config: unknown,
): ViewOptions {
  const { model, limits } = runtimeSettings ?? {};
  const window = limits?.promptTokenBudget;
  const contextWindow = typeof window === "number" && window > 0 ? { contextWindow: window } : {};
  // OpenClaw marks the places for the provider's cache by itself, and appends the messages of the turn.
  const shared = { breakpoints: "host", isTurnFixed: true, ...contextWindow } as const;
  if (typeof model?.provider !== "string" || typeof model.resolved !== "string") return shared;
  return { ...modelOptions(modelFacts(config, model.provider, model.resolved)), ...shared };
}

function modelFacts(config: unknown, provider: string, id: string): ModelFacts {
  const { providers } = fieldsOf(fieldsOf(config)["models"]);
  const { api, models } = fieldsOf(fieldsOf(providers)[provider]);
  const listed: readonly unknown[] = Array.isArray(models) ? models : [];
  const found = fieldsOf(listed.find((one) => fieldsOf(one)["id"] === id));
  const protocol = found["api"] ?? api;
  const cost = modelCost(found["cost"]);
  return {
    provider,
    id,
    ...(typeof protocol === "string" ? { api: protocol } : {}),
    ...defined({ cost }),
  };
}

function modelCost(cost: unknown): ModelCost | undefined {
  const { input, output, cacheRead, cacheWrite } = fieldsOf(cost);
  if (typeof input !== "number") return undefined;
  return {
    input,
    ...(typeof output === "number" ? { output } : {}),
    ...(typeof cacheRead === "number" ? { cacheRead } : {}),
    ...(typeof cacheWrite === "number" ? { cacheWrite } : {}),
  };
}
