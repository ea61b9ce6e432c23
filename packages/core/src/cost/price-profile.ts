import { type FamilyPrices, familyPrices, type PriceTier } from "./price-table.ts";

/**
 * How a provider bills a prompt. Prices are relative to the model's uncached input price, so that 1 is a token that is
 * neither read from the cache nor written to it.
 */
export interface PriceProfile {
  /** A token that is read from the cache. */
  readonly read: number;
  /** A token that is written to the cache. */
  readonly write: number;
  /** Milliseconds that an entry lives after its last use; undefined where nothing says that time ends it. */
  readonly lifetime?: number;
  /** Tokens that a prompt has at least, or nothing of it is cached. */
  readonly minimum: number;
  /** By ascending length; empty where the price is the same at every length. */
  readonly tiers: readonly PriceTier[];
  /** `explicit` where the request marks what is to be kept, `automatic` where the provider finds it by itself. */
  readonly caching: "automatic" | "explicit" | "none";
  /** Where `read` and `write` come from. */
  readonly source: "host" | "table" | "default";
}

/** Prices of a model in any unit that is the same in all fields; 0 is how hosts say that they know none. */
export interface ModelCost {
  readonly input: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly tiers?: readonly { readonly inputTokensAbove: number; readonly input: number }[];
}

/** What a host knows of its model. */
export interface ModelFacts {
  readonly provider: string;
  readonly id: string;
  /** The protocol, as hosts name it: `anthropic-messages`, `openai-responses`. */
  readonly api?: string;
  readonly cost?: ModelCost;
  readonly contextWindow?: number;
  /** How long the host asks the provider to keep the prompt; `short` unless told. */
  readonly retention?: "none" | "short" | "long";
  /** Seconds that an entry lives, by what the host asks for. */
  readonly promptCache?: { readonly short?: number; readonly long?: number };
}

/** Of what neither the host nor the table knows: most providers cache by themselves, at a tenth, without a fee. */
const unknownFamily: FamilyPrices = {
  read: 0.1,
  write: 1,
  lifetime: 3_600_000,
  minimum: 1024,
  caching: "automatic",
};

/**
 * A model that costs nothing and that the table does not know runs on the user's own machine or as a gift: what it
 * costs is time. A local server keeps the last prompt's state, so what is unchanged costs a little attention and what
 * is changed is computed again from there on. A read price of 0 would say that dead tokens cost nothing, and no epoch
 * would end before the window is full.
 */
const freeFamily: FamilyPrices = { read: 0.1, write: 1, minimum: 0, caching: "automatic" };

/** An hour's entry costs twice the input price where the usual entry costs a quarter more (Anthropic). */
const longWrite = 2;

/**
 * The profile of a model: the host's own prices where it has them, else the table's by family, else a default. What
 * hosts do not say of a cache, such as its lifetime and its minimum, comes from the table in any case.
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
    // No price for reading: the host says that nothing is cached, unless the table knows better.
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
    ...(lifetime === undefined ? {} : { lifetime }),
    minimum: prices.minimum,
    tiers,
    caching,
    source,
  };
}

/** Markers are only for those who bill what is written: some serve automatic caches by Anthropic's protocol. */
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
      // A price that is all but nothing makes any other boundlessly dear.
      .filter(({ factor }) => Number.isFinite(factor))
      .toSorted((left, right) => left.above - right.above)
  );
}

function isPositive(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value > 0;
}
