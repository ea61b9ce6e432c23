import { homedir } from "node:os";
import { join } from "node:path";

import { fieldsOf, isJsonList, type JsonObject } from "@self-context-manager/objects";

import { EvaluateError } from "../model/evaluate-error.ts";
import { textIn } from "./answers/answer-reader.ts";
import { nearNames } from "../model/near-names.ts";
import type { ModelAccess, ModelApi, ModelPrices, PriceRates } from "../model/model-access.ts";
import { type PiRegistryOptions, withPiRegistry } from "./pi-registry.ts";

export interface ResolveModelOptions extends Pick<PiRegistryOptions, "piFolder" | "environment"> {
  /** `provider/id`, as Pi names the model. */
  readonly name: string;
  /** The folder of the user's own models and keys. Default: that of the environment, as Pi uses it. */
  readonly agentFolder?: string;
}

export interface UrlModelOptions extends Pick<ModelAccess, "url" | "id" | "contextWindow"> {
  readonly api: ModelApi;
  /** Default: the server needs none. */
  readonly key?: string;
  /** The most tokens of one answer. Default: a quarter of the context window, at most 8,192. */
  readonly maxTokens?: number;
  /** Whether the model is a reasoning one. Default: it is not. */
  readonly isReasoning?: boolean;
  /** Absent: unknown. */
  readonly prices?: ModelPrices;
}

const apis: ReadonlySet<unknown> = new Set<ModelApi>([
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
]);

const usualMaxTokens = 8_192;

/**
 * Finds a model in the registry of an installed Pi, with its key: that of Pi's environment variable for the provider, or
 * the one that the user stored in Pi. Throws `EvaluateError` with `EVALUATE_MODEL`.
 */
export async function resolveModel({
  name,
  piFolder,
  environment,
  agentFolder = agentFolderOf(environment),
}: ResolveModelOptions): Promise<ModelAccess> {
  return withPiRegistry({ piFolder, agentFolder, environment }, async (registry) => {
    const models = registry.models.map(fieldsOf);
    const model = models.find((one) => nameOf(one) === name);
    if (model === undefined)
      throw new EvaluateError(
        "EVALUATE_MODEL",
        `Pi has no model ${name}. ${nearAdvice(name, models.map(nameOf))}`,
      );
    const { provider, id, api, baseUrl, contextWindow, maxTokens, reasoning } = model;
    if (!isApi(api)) {
      const usable = models.filter((one) => isApi(one["api"])).map(nameOf);
      throw new EvaluateError(
        "EVALUATE_MODEL",
        `${name} uses the protocol ${textIn(api)}, which the meter cannot read. ${nearAdvice(name, usable)}`,
      );
    }
    const { key, url = baseUrl, variables } = await registry.keyFor(model);
    if (key === undefined)
      throw new EvaluateError("EVALUATE_MODEL", keyAdvice(provider, variables));
    const prices = pricesIn(model["cost"]);
    return {
      provider: textIn(provider),
      id: textIn(id),
      api,
      url: textIn(url),
      key,
      contextWindow: numberIn(contextWindow),
      maxTokens: numberIn(maxTokens),
      isReasoning: reasoning === true,
      ...(prices === undefined ? {} : { prices }),
    };
  });
}

/** A model of a server with one of the protocols, such as llama.cpp, Ollama or vLLM. */
export function urlModel({
  key = "",
  maxTokens,
  isReasoning = false,
  ...options
}: UrlModelOptions): ModelAccess {
  if (!URL.canParse(options.url) || !/^https?:/u.test(options.url))
    throw new EvaluateError(
      "EVALUATE_MODEL",
      `The URL of the model is ${JSON.stringify(options.url)}. It must begin with http:// or https://.`,
    );
  const most = maxTokens ?? Math.min(usualMaxTokens, Math.floor(options.contextWindow / 4));
  return { ...options, provider: "url", key, maxTokens: most, isReasoning };
}

function agentFolderOf(environment: ResolveModelOptions["environment"]): string {
  const home = environment["HOME"] ?? homedir();
  return environment["PI_CODING_AGENT_DIR"] ?? join(home, ".pi", "agent");
}

function nameOf({ provider, id }: JsonObject): string {
  return `${textIn(provider)}/${textIn(id)}`;
}

function isApi(api: unknown): api is ModelApi {
  return apis.has(api);
}

/** A sentence with the names that have the most pairs of characters in common with a name. */
function nearAdvice(name: string, names: readonly string[]): string {
  const near = nearNames(name, names);
  return near.length === 0
    ? "Names have the form provider/id."
    : `Similar names: ${near.join(", ")}.`;
}

function keyAdvice(provider: unknown, variables: readonly string[]): string {
  const names = [...new Set(variables)];
  const variable =
    names.length === 0
      ? "the environment variable that Pi reads for it"
      : `one of the environment variables ${names.join(", ")}`;
  return `There is no key for ${textIn(provider)}. Set ${variable}, or log in with Pi.`;
}

/** Pi has 0 for all prices that it does not know. */
function pricesIn(cost: unknown): ModelPrices | undefined {
  const fields = fieldsOf(cost);
  const rates = ratesIn(fields);
  if (Object.values(rates).every((price) => price === 0)) return undefined;
  const tiers = (isJsonList(fields["tiers"]) ? fields["tiers"] : [])
    .map(fieldsOf)
    .map((tier) => ({ ...ratesIn(tier), inputTokensAbove: numberIn(tier["inputTokensAbove"]) }))
    .toSorted((left, right) => left.inputTokensAbove - right.inputTokensAbove);
  return tiers.length === 0 ? rates : { ...rates, tiers };
}

function ratesIn({ input, output, cacheRead, cacheWrite }: JsonObject): PriceRates {
  return {
    input: numberIn(input),
    output: numberIn(output),
    cacheRead: numberIn(cacheRead),
    cacheWrite: numberIn(cacheWrite),
  };
}

function numberIn(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
