import type { ReportedUsage } from "../chat/message.ts";
import { estimatedCost, pricedUsage } from "../cost/estimated-cost.ts";
import { type PriceProfile, priceProfile } from "../cost/price-profile.ts";
import type { CallCost } from "./timeline.ts";

/** The share by which a cost may differ from the same cost by other prices, and the tokens by which it is rounded. */
const tolerance = { share: 0.01, tokens: 4 };

/**
 * Returns the price of a reported usage in tokens of uncached input. The session does not store its prices, so those of
 * the table count if they explain the call's estimated cost. Undefined if they do not.
 */
export function unitsOf(
  usage: ReportedUsage,
  { model, cost }: { readonly model?: string; readonly cost?: CallCost },
): number | undefined {
  if (model === undefined || cost === undefined) return undefined;
  const profile = profileOf(model);
  const { cached, fresh } = cost;
  const { units } = estimatedCost(profile, {
    promptTokens: cached + fresh,
    sharedTokens: cached,
    isCold: cached === 0,
  });
  const difference = Math.abs(units - cost.units);
  if (difference > tolerance.tokens + cost.units * tolerance.share) return undefined;
  return Math.round(pricedUsage(profile, usage));
}

/** Returns the prices of a model, which is `provider/id`, by the table. */
export function profileOf(model: string): PriceProfile {
  const at = model.indexOf("/");
  return priceProfile({ provider: model.slice(0, Math.max(0, at)), id: model.slice(at + 1) });
}
