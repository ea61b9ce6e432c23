import { calibrate } from "../cost/calibrated-estimator.ts";
import { countReport } from "../cost/cost-account.ts";
import { reportedUsage } from "../cost/reported-usage.ts";
import type { IngestReport } from "../history/ingest-messages.ts";
import type { SessionState } from "../state/session-state.ts";

/** How many answers the calibration is fitted to. */
const usagePoints = 16;

/** Fits the calibration to what the provider reports of the view that was sent. */
export function learnUsage(state: SessionState, report: IngestReport): void {
  const reported = reportedPromptTokens(report.usage);
  const sent = state.sentTokens;
  // One answer goes with one view; what follows it may have been asked without us.
  if (report.added > 0) state.sentTokens = 0;
  if (reported === undefined || sent === 0) return;
  noteReport(state, report);
  const point = { estimated: sent / state.calibration.factor, reported };
  // Each model has a tokenizer of its own, and what two count fits no line.
  const model = state.view?.cache?.model;
  const known = model === state.usageModel ? state.usage : [];
  state.usageModel = model;
  state.usage = [...known, point].slice(-usagePoints);
  state.calibration = calibrate(state.usage, state.calibration);
  state.changed = true;
}

/** What the provider says of a call that a view was sent with. */
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
