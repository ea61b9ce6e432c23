import type { TimelineCall } from "@self-context-manager/core/inspect";
import { percent, short } from "../text/format.ts";

/** What a call cost, as the provider reported it, or else as it was estimated. */
export interface Billed {
  readonly cached: number;
  readonly fresh: number;
  /** In tokens of uncached input. */
  readonly units: number;
  readonly isReported: boolean;
}

/** What a call cost; undefined if nothing is known of it. */
export function billedOf({ cost, usage, reportedUnits }: TimelineCall): Billed | undefined {
  if (usage !== undefined && reportedUnits !== undefined) {
    const fresh = usage.input + usage.cacheWrite;
    return { cached: usage.cacheRead, fresh, units: reportedUnits, isReported: true };
  }
  if (cost === undefined) return undefined;
  return { cached: cost.cached, fresh: cost.fresh, units: cost.units, isReported: false };
}

/** The reported cost of the calls that have one and an estimate too. */
export interface ReportedCost {
  readonly calls: number;
  readonly units: number;
  /** The estimate for the same calls. */
  readonly estimated: number;
  /** What the calls with a cache miss cost more than estimated. */
  readonly missed: number;
}

/** Adds up what the provider reported, and the estimates for the same calls. */
export function reportedCost(calls: readonly TimelineCall[]): ReportedCost {
  let [count, units, estimated, missed] = [0, 0, 0, 0];
  for (const { cost, reportedUnits, miss } of calls) {
    if (cost === undefined || reportedUnits === undefined) continue;
    count++;
    units += reportedUnits;
    estimated += cost.units;
    if (miss !== undefined) missed += reportedUnits - cost.units;
  }
  return { calls: count, units, estimated, missed };
}

/** The reported cost of a session as a sentence; undefined if nothing was reported. `calls`: all that have an estimate. */
export function reportedCostText(
  { calls: count, units, estimated, missed }: ReportedCost,
  calls: number,
): string | undefined {
  if (count === 0 || estimated === 0) return undefined;
  const share = units / estimated - 1;
  const side = share > 0 ? "more than" : "less than";
  const same = count === calls ? "" : " for them";
  const difference =
    Math.abs(share) < 0.0005
      ? `as estimated${same}`
      : `${percent(Math.abs(share))} ${side} estimated${same}`;
  const isMissed = share >= 0.0005 && missed >= (units - estimated) / 2;
  const cause = isMissed ? ", mostly for misses of the cache that no estimate foresees" : "";
  const where = count === calls ? "" : ` in ${count} of ${calls} calls`;
  return `By the provider's reports ${short(units)}${where}, ${difference}${cause}.`;
}
