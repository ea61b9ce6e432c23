import type { LanguageModelV4 } from "@ai-sdk/provider";
import { type ModelFacts, modelOptions, type ViewOptions } from "@self-context-manager/core";

/** A model by its names: `anthropic.messages` and `claude-opus-5-5`, or `gateway` and `openai/gpt-5`. */
export type NamedModel = Pick<LanguageModelV4, "provider" | "modelId">;

/** Whether a model is called through Anthropic's own interface, in whose requests the adapter can mark what is cached. */
export function isOfAnthropic({ provider }: NamedModel): boolean {
  return /\banthropic\./u.test(provider);
}

/** Returns the options of a view for a model. `known` has facts that the names of the model do not show. */
export function viewOptions(model: NamedModel, known: Partial<ModelFacts> = {}): ViewOptions {
  // A gateway has the provider in the name of the model.
  const [id = "", ...others] = model.modelId.split("/").toReversed();
  const provider = others.at(-1) ?? model.provider.replace(/\..*$/u, "");
  const api = isOfAnthropic(model) ? { provider: "anthropic", api: "anthropic-messages" } : {};
  const options = modelOptions({ provider, id, ...api, ...known });
  const isUnmarked = options.prices.caching === "explicit" && !isOfAnthropic(model);
  return { ...options, breakpoints: isUnmarked ? "host" : "own" };
}
