import type { UsagePoint } from "../cost/calibrated-estimator.ts";
import { countReport } from "../cost/cost-account.ts";
import { reportedUsage } from "../cost/reported-usage.ts";
import type { SessionState } from "./session-state.ts";

/** The usage that a provider reports with an answer. */
export type ReportedUsage = Readonly<Record<string, unknown>>;

/**
 * Fits the calibration to the tokens that the provider reported for the sent view, and adds them to the cost account.
 * Undefined: new messages have arrived, and the first of them is no answer with a usage.
 */
export function learnUsage({ sent }: SessionState, usage: ReportedUsage | undefined): void {
  const waiting = sent.waitingTokens;
  // Each view has one answer. Later answers can belong to calls without the context manager.
  sent.endWaiting();
  const reported = reportedPromptTokens(usage);
  if (usage === undefined || reported === undefined || waiting === 0) return;
  const counts = reportedUsage(usage);
  if (counts !== undefined && sent.account !== undefined)
    sent.setAccount(countReport(sent.account, counts));
  const point: UsagePoint = { estimated: waiting / sent.calibration.factor, reported };
  sent.fit(point, sent.view?.cache?.model);
}

function reportedPromptTokens(usage: ReportedUsage | undefined): number | undefined {
  if (usage === undefined) return undefined;
  const total = ["input", "cacheRead", "cacheWrite"].reduce((sum, field) => {
    const value = usage[field];
    return sum + (typeof value === "number" && Number.isFinite(value) ? value : 0);
  }, 0);
  return total > 0 ? total : undefined;
}
