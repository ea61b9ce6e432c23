import type { ReportedUsage } from "../chat/message.ts";
import { countReport } from "../cost/cost-account.ts";
import { promptOf, soundUsage } from "../cost/reported-usage.ts";
import type { SessionState } from "./session-state.ts";

/**
 * Fits the calibration to the tokens that the provider reported for the sent view, and adds them to the cost account.
 * Undefined: new messages have arrived, and the first of them is no answer with a usage.
 */
export function learnUsage({ sent }: SessionState, usage: ReportedUsage | undefined): void {
  const { isWaiting, sentTokens } = sent;
  // Each view has one answer. Later answers can belong to calls without the context manager.
  sent.endWaiting();
  const sound = usage === undefined ? undefined : soundUsage(usage);
  if (sound === undefined || !isWaiting) return;
  if (sent.account !== undefined) sent.setAccount(countReport(sent.account, sound));
  sent.fit({ estimated: sentTokens, reported: promptOf(sound) }, sent.view?.cache?.model);
}
