import type { ByStrategy } from "../strategies/strategies.ts";
import type { ReplayReport, StrategyReport } from "./replay-report.ts";

type StrategyJson = Pick<
  StrategyReport,
  | "costRatio"
  | "chargedCostRatio"
  | "chargedByRangeRatio"
  | "evidenceMiss"
  | "evidenceMissPlus"
  | "sharpMiss"
  | "sharpMissPlus"
  | "gramMiss"
  | "counted"
  | "prefixHit"
  | "meanTokens"
  | "peakTokens"
  | "epochs"
  | "median"
> & { readonly worst: { readonly session: string; readonly costRatio: number } | null };

/** The object that `scm replay --json` prints. */
export interface ReplayJson extends Pick<ReplayReport, "corpus" | "time" | "store"> {
  readonly profiles: Readonly<Record<string, ByStrategy<StrategyJson>>>;
}

/** A report as an object for programs; `worst` is null if no session has 20 calls. */
export function replayJson({ corpus, profiles, time, store }: ReplayReport): ReplayJson {
  return {
    corpus,
    profiles: Object.fromEntries(
      Object.entries(profiles).map(([profile, strategies]) => [
        profile,
        Object.fromEntries(
          Object.entries(strategies).map(([name, report]) => [name, strategyJson(report)]),
        ) as unknown as ByStrategy<StrategyJson>,
      ]),
    ),
    time,
    store,
  };
}

function strategyJson(report: StrategyReport): StrategyJson {
  return {
    costRatio: report.costRatio,
    chargedCostRatio: report.chargedCostRatio,
    chargedByRangeRatio: report.chargedByRangeRatio,
    evidenceMiss: report.evidenceMiss,
    evidenceMissPlus: report.evidenceMissPlus,
    sharpMiss: report.sharpMiss,
    sharpMissPlus: report.sharpMissPlus,
    gramMiss: report.gramMiss,
    counted: report.counted,
    prefixHit: report.prefixHit,
    meanTokens: report.meanTokens,
    peakTokens: report.peakTokens,
    epochs: report.epochs,
    median: report.median,
    worst: report.worst ?? null,
  };
}
