import type { LanguageModelV4 } from "@ai-sdk/provider";
import { type ModelFacts, priceProfile, type ViewOptions } from "@self-context-manager/core";
import { thinkingBinding } from "@self-context-manager/core/host";

/** A model by its names: `anthropic.messages` and `claude-opus-5-5`, or `gateway` and `openai/gpt-5`. */
export type NamedModel = Pick<LanguageModelV4, "provider" | "modelId">;

/** Whether a model is called through Anthropic's own interface, in whose requests the adapter can mark what is cached. */
export function isOfAnthropic({ provider }: NamedModel): boolean {
  return /\banthropic\./u.test(provider);
}

/** Returns the options of a view for a model. `known` has facts that the names of the model do not show. */
export function modelOptions(model: NamedModel, known: Partial<ModelFacts> = {}): ViewOptions {
  const { contextWindow } = known;
  // A gateway has the provider in the name of the model.
  const [id = "", ...others] = model.modelId.split("/").toReversed();
  const named = others.at(-1) ?? model.provider.replace(/\..*$/u, "");
  const api = isOfAnthropic(model) ? { provider: "anthropic", api: "anthropic-messages" } : {};
  const facts = { provider: named, id, ...api, ...known };
  const prices = priceProfile(facts);
  return {
    model: `${facts.provider}/${facts.id}`,
    prices,
    breakpoints: prices.caching === "explicit" && !isOfAnthropic(model) ? "host" : "own",
    thinking: thinkingBinding(facts.id),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  };
}
