import type { LanguageModelV4 } from "@ai-sdk/provider";
import { type ModelFacts, modelOptions, type ModelOptions } from "@self-context-manager/core";

/** A model by its names: `anthropic.messages` and `claude-opus-5-5`, or `gateway` and `openai/gpt-5`. */
export type NamedModel = Pick<LanguageModelV4, "provider" | "modelId">;

/** Returns the options of a view for a model. `known` has facts that the names of the model do not show. */
export function viewOptions(model: NamedModel, known: Partial<ModelFacts> = {}): ModelOptions {
  // A gateway has the provider in the name of the model.
  const [id = "", ...others] = model.modelId.split("/").toReversed();
  const provider = others.at(-1) ?? model.provider.replace(/\..*$/u, "");
  const isOfAnthropic = /\banthropic\./u.test(model.provider);
  const api = isOfAnthropic ? { provider: "anthropic", api: "anthropic-messages" } : {};
  return modelOptions({ provider, id, ...api, ...known });
}
