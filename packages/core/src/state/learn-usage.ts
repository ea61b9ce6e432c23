import { isOwnCall, opensUnread } from "../calls/own-call.ts";
import { type ToolFacts, usualToolFacts } from "../calls/tool-facts.ts";
import { type AssistantMessage, isToolCall } from "../chat/message.ts";
import { callsOf, isAssistantStep } from "../chat/turn.ts";
import { countAnswer } from "../cost/cost-account.ts";
import { promptOf, soundUsage } from "../cost/reported-usage.ts";
import type { SessionState } from "./session-state.ts";

/**
 * Fits the calibration to the tokens that the provider reported for the sent view, and adds the answer to the cost
 * account. Undefined: new messages have arrived, and none of them is an answer.
 */
export function learnUsage(
  state: SessionState,
  answer: AssistantMessage | undefined,
  toolFacts: ToolFacts = usualToolFacts,
): void {
  const { sent } = state;
  const { isWaiting, sentTokens } = sent;
  // Each view has one answer. Later answers can belong to calls without the context manager.
  sent.endWaiting();
  if (!isWaiting) return;
  const usage = answer?.usage === undefined ? undefined : soundUsage(answer.usage);
  const isOwn = answer !== undefined && isOwnAnswer(state, answer, toolFacts);
  // Without a report the next call counts the answer, so that this alone makes no new version of the session.
  const isCounted = usage !== undefined || isOwn;
  if (isCounted && sent.account !== undefined)
    sent.setAccount(countAnswer(sent.account, { isOwn, usage }));
  if (usage === undefined) return;
  sent.fit({ estimated: sentTokens, reported: promptOf(usage) }, sent.view?.cache?.model);
}

/** Whether an answer only calls context tools, and opens nothing that the plain host would have read. Its calls are those of a step at the end of the chat, if they have results. */
function isOwnAnswer(
  { chat, pool }: SessionState,
  { content }: AssistantMessage,
  toolFacts: ToolFacts,
): boolean {
  const calls = content.filter(isToolCall);
  const step = chat.turns
    .slice(-2)
    .flatMap(({ steps }) => steps)
    .findLast((one) => isAssistantStep(one) && callsOf(one)[0]?.id === calls[0]?.id);
  const ids = step !== undefined && isAssistantStep(step) ? step.toolcall_ids : [];
  return (
    calls.length > 0 &&
    calls.every((call, index) => {
      const id = ids[index];
      const entry = id === undefined ? undefined : pool.get(id);
      const body = entry?.stored.body;
      return isOwnCall(call, body, toolFacts) && !opensUnread(body, pool.entries.values());
    })
  );
}
