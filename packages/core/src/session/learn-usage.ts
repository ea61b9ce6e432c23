import { calibrate, type UsagePoint } from "../cost/calibrated-estimator.ts";
import { countReport } from "../cost/cost-account.ts";
import { reportedUsage } from "../cost/reported-usage.ts";
import type { IngestReport } from "../history/ingest-messages.ts";
import type { SessionState } from "../state/session-state.ts";

/** The number of answers to which the calibration is fitted. */
const usagePoints = 16;

/** Fits the calibration to the tokens that the provider reported for the sent view. */
export function learnUsage(state: SessionState, report: IngestReport): void {
  const reported = reportedPromptTokens(report.usage);
  const sent = state.sentTokens;
  // Each view has one answer. Later answers can belong to calls without the context manager.
  if (report.added > 0) state.sentTokens = 0;
  if (reported === undefined || sent === 0) return;
  noteReport(state, report);
  learnPoint(
    state,
    { estimated: sent / state.calibration.factor, reported },
    state.view?.cache?.model,
  );
}

/** Fits the calibration to a prompt of a model, whose tokens the provider reported. */
export function learnPoint(
  state: SessionState,
  point: UsagePoint,
  model: string | undefined,
): void {
  // Each model has its own tokenizer, so counts of two models do not fit one line.
  const known = model === state.usageModel ? state.usage : [];
  state.usageModel = model;
  state.usage = [...known, point].slice(-usagePoints);
  state.calibration = calibrate(state.usage, state.calibration);
  state.changed = true;
}

/** Adds the usage that the provider reported for a sent view to the cost account. */
function noteReport(state: SessionState, report: IngestReport): void {
  const usage = reportedUsage(report.usage);
  if (usage !== undefined && state.account !== undefined)
    state.account = countReport(state.account, usage);
}

function reportedPromptTokens(
  usage: Readonly<Record<string, unknown>> | undefined,
): number | undefined {
  if (usage === undefined) return undefined;
  const total = ["input", "cacheRead", "cacheWrite"].reduce((sum, field) => {
    const value = usage[field];
    return sum + (typeof value === "number" && Number.isFinite(value) ? value : 0);
  }, 0);
  return total > 0 ? total : undefined;
}
