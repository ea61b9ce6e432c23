import { defined } from "@self-context-manager/objects";

import { type FamilyPrices, familyPrices, type PriceTier } from "./price-table.ts";

/**
 * How a provider bills a prompt. Prices are relative to the model's uncached input price: 1 is the price of a token
 * that is neither read from the cache nor written to it.
 */
export interface PriceProfile {
  /** Price of a token that is read from the cache. */
  readonly read: number;
  /** Price of a token that is written to the cache. */
  readonly write: number;
  /** Milliseconds that a cache entry lives after its last use; undefined if no time limit is known. */
  readonly lifetime?: number;
  /** Tokens that a prompt must have to be cached. */
  readonly minimum: number;
  /** Price tiers, by ascending prompt length; empty if the price is the same at every length. */
  readonly tiers: readonly PriceTier[];
  /** `explicit`: the request marks what the provider is to cache. `automatic`: the provider caches without marks. */
  readonly caching: "automatic" | "explicit" | "none";
  /** Source of `read` and `write`. */
  readonly source: "host" | "table" | "default";
}

/** Prices of a model, in any unit that is the same in all fields. Hosts use 0 for a price that they do not know. */
export interface ModelCost {
  readonly input: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly tiers?: readonly { readonly inputTokensAbove: number; readonly input: number }[];
}

/** The facts that a host has about its model. */
export interface ModelFacts {
  readonly provider: string;
  readonly id: string;
  /** The protocol by the host's name for it, such as `anthropic-messages` or `openai-responses`. */
  readonly api?: string;
  readonly cost?: ModelCost;
  readonly contextWindow?: number;
  /** How long the host asks the provider to keep the prompt; default `short`. */
  readonly retention?: "none" | "short" | "long";
  /** Seconds that a cache entry lives, for each retention that the host can ask for. */
  readonly promptCache?: { readonly short?: number; readonly long?: number };
}

/**
 * Prices of a model that neither the host nor the table knows. Most providers cache automatically, read at a tenth of
 * the input price, and charge nothing for writing.
 */
const unknownFamily: FamilyPrices = {
  read: 0.1,
  write: 1,
  lifetime: 3_600_000,
  minimum: 1024,
  caching: "automatic",
};

/**
 * Prices of a free model that the table does not contain. It runs on the user's own machine or is given away, so its
 * cost is time. A local server keeps the state of the last prompt: unchanged text costs a little attention, and
 * everything after a change is computed again. With a read price of 0, dead tokens would cost nothing, and no epoch
 * would end before the context window is full.
 */
const freeFamily: FamilyPrices = { read: 0.1, write: 1, minimum: 0, caching: "automatic" };

/** Write price of an entry that lives an hour. The usual entry costs 1.25 (Anthropic). */
const longWrite = 2;

/**
 * Returns the profile of a model. It uses the host's own prices if there are any, otherwise those of the model's family
 * in the table, otherwise a default. Facts that hosts do not give, such as lifetime and minimum, always come from the
 * table or the default.
 */
export function priceProfile(facts: ModelFacts): PriceProfile {
  const { cost } = facts;
  const family = familyPrices(facts.id);
  const isPriced = cost !== undefined && isPositive(cost.input);
  const isFree = cost !== undefined && !isPriced;
  const known = family ?? (isFree ? freeFamily : unknownFamily);
  const tiers = isPriced ? hostTiers(cost) : (family?.tiers ?? []);
  const source = isPriced ? "host" : family === undefined ? "default" : "table";
  const uncached: PriceProfile = { read: 1, write: 1, minimum: 0, tiers, caching: "none", source };
  if (facts.retention === "none" && cachingOf(facts, known) === "explicit") return uncached;

  const cacheRead = cost?.cacheRead ?? 0;
  if (isPriced && !isPositive(cacheRead)) {
    // A host that names no read price declares that nothing is cached, unless the table knows the family.
    return family === undefined ? uncached : profileOf(family, facts, tiers, "table");
  }
  if (!isPriced) return profileOf(known, facts, tiers, source);
  const read = cacheRead / cost.input;
  if (read >= 1) return uncached;
  const written = (cost.cacheWrite ?? 0) / cost.input;
  const write = Number.isFinite(written) ? Math.max(1, written) : 1;
  return profileOf({ ...known, read, write }, facts, tiers, "host");
}

function profileOf(
  prices: FamilyPrices,
  facts: ModelFacts,
  tiers: readonly PriceTier[],
  source: PriceProfile["source"],
): PriceProfile {
  const caching = cachingOf(facts, prices);
  const isLong = facts.retention === "long";
  const lifetime = lifetimeOf(facts, prices);
  return {
    read: prices.read,
    write: isLong && caching === "explicit" && prices.write > 1 ? longWrite : prices.write,
    ...defined({ lifetime }),
    minimum: prices.minimum,
    tiers,
    caching,
    source,
  };
}

/**
 * Returns whether requests need cache markers. Only providers that bill cache writes do: some providers offer an
 * automatic cache through Anthropic's protocol.
 */
function cachingOf(facts: ModelFacts, prices: FamilyPrices): "automatic" | "explicit" {
  const { api, cost } = facts;
  if (api === undefined) return prices.caching;
  if (api === "bedrock-converse-stream") return "explicit";
  if (api === "anthropic-messages") {
    const isBilled = isPositive(cost?.input) ? isPositive(cost?.cacheWrite) : prices.write > 1;
    return isBilled || prices.caching === "explicit" ? "explicit" : "automatic";
  }
  return prices.caching;
}

function lifetimeOf(facts: ModelFacts, prices: FamilyPrices): number | undefined {
  const isLong = facts.retention === "long";
  const seconds = isLong ? facts.promptCache?.long : facts.promptCache?.short;
  if (isPositive(seconds)) return seconds * 1000;
  return isLong ? (prices.longLifetime ?? prices.lifetime) : prices.lifetime;
}

function hostTiers(cost: ModelCost): readonly PriceTier[] {
  return (
    (cost.tiers ?? [])
      .filter(({ inputTokensAbove, input }) => isPositive(inputTokensAbove) && isPositive(input))
      .map(({ inputTokensAbove, input }) => ({
        above: inputTokensAbove,
        factor: input / cost.input,
      }))
      // A base price close to 0 makes the factor infinite.
      .filter(({ factor }) => Number.isFinite(factor))
      .toSorted((left, right) => left.above - right.above)
  );
}

function isPositive(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value > 0;
}
