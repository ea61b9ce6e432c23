import { continued } from "@self-context-manager/objects";
import { missingMessages } from "../../lines/notices.ts";
import { shownParts } from "../../view/shown-parts.ts";
import type { ViewEntry } from "../../view/view-entry.ts";
import type { Kept } from "./keep-entries.ts";
import type { PlanningContext } from "./planning-context.ts";
import { stepEntries } from "./result-entries.ts";
import { userEntry } from "./user-entries.ts";

/**
 * Returns the entries of the messages of the chat: the kept ones and, behind them, those that are new. `isTrusted`:
 * whether the model accepts the thinking that it made after exactly the kept entries.
 */
export function withNewMessages(
  context: PlanningContext,
  { entries: kept, until }: Kept,
  isTrusted: boolean,
): readonly ViewEntry[] {
  const { turns, compaction } = context.input;
  const more: ViewEntry[] = [];
  const parts = shownParts(kept);
  const replacing = until === undefined ? compaction?.messages : undefined;
  for (const at of replacing?.keys() ?? [])
    more.push(context.sized({ type: "summary", ...(at === 0 ? {} : { at }) }));
  const start = compaction?.from ?? { turn: 0, step: -1 };
  const from =
    until === undefined ? start : { turn: Math.max(0, until.turns - 1), step: until.steps };
  const isBegun = until === undefined ? from.step >= 0 : until.turns > 0;
  for (let turn = from.turn; turn < turns.length; turn += 1) {
    const isFirst = turn === from.turn;
    const user = isFirst && isBegun ? undefined : userEntry(context, turn);
    if (user !== undefined) {
      parts.add(user);
      more.push(user);
    }
    const steps = turns[turn]?.steps.length ?? 0;
    for (let step = isFirst ? Math.max(0, from.step) : 0; step < steps; step += 1) {
      // Other answers were thought after messages that no record contains. An empty view is not sent.
      const isNext = isTrusted && kept.length > 0 && more.length === 0;
      const answered = context.answerAt({ turn, step })?.view;
      const keepsThinking =
        isNext && answered !== undefined && answered === context.epochs.lastCall;
      more.push(...stepEntries(context, parts, turn, step, keepsThinking));
    }
  }
  return begunByUser(context, continued(kept, more));
}

/** Returns entries that begin with a user's message, as providers require: before an answer is a notice. */
export function begunByUser(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  text: string = missingMessages.user.write(),
): readonly ViewEntry[] {
  const [first] = entries;
  if (first?.type !== "assistant" && first?.type !== "result") return entries;
  return [context.notice(text), ...entries];
}
