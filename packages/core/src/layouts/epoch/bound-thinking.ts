import { defined, madeOnce } from "@self-context-manager/objects";
import {
  hasSignedThinking,
  isSignedThinking,
  withoutSignedThinking,
} from "../../chat/signed-thinking.ts";
import type { AssistantStep } from "../../chat/turn.ts";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { contentTokens } from "../../render/message-tokens.ts";
import { shownAnswer } from "../../render/step-content.ts";
import type { AssistantEntry, ViewEntry } from "../../view/view-entry.ts";
import type { PlanningContext } from "./planning-context.ts";

/**
 * Returns what the thinking of a view is bound to besides its messages, or undefined if the model does not bind. Thinking
 * of a view with another value was made by another model or after another system prompt.
 */
export function boundTo({ input, epochs }: PlanningContext): string | undefined {
  return input.thinking === "bound" ? (epochs.head ?? "") : undefined;
}

/**
 * Returns the entry of an answer, or undefined if it says nothing. `keepsThinking`: whether the answer was thought after
 * exactly the entries before it.
 */
export function answerEntry(
  context: PlanningContext,
  place: { readonly turn: number; readonly step: number },
  keepsThinking: boolean,
): AssistantEntry | undefined {
  const step = context.answerAt(place);
  if (step === undefined) return undefined;
  const isLeftOut = !keepsThinking && boundTo(context) !== undefined && hasSignedThinking(step);
  const said = isLeftOut ? withoutSignedThinking(step.assistant) : step.assistant;
  if (shownAnswer(said).length === 0) return undefined;
  return context.sized({
    type: "assistant",
    ...place,
    ...(isLeftOut ? { thinking: "left-out" } : {}),
  });
}

/**
 * Returns an answer without its signed thinking, or undefined if it says nothing else. A provider that binds thinking does
 * not accept a block if anything before it has changed, nor any block after a missing one.
 */
export function withoutThinking(
  context: PlanningContext,
  { turn, step, stubs, fold }: AssistantEntry,
): AssistantEntry | undefined {
  if (fold !== undefined)
    return context.sized({
      type: "assistant",
      turn,
      step,
      thinking: "left-out",
      ...defined({ stubs, fold }),
    });
  const made = answerEntry(context, { turn, step }, false);
  if (made === undefined || stubs === undefined) return made;
  return context.sized({ ...made, stubs });
}

/** Whether an entry shows signed thinking. */
export function showsThinking(context: PlanningContext, entry: ViewEntry): entry is AssistantEntry {
  if (entry.type !== "assistant" || entry.thinking !== undefined) return false;
  const step = context.answerAt(entry);
  return step !== undefined && hasSignedThinking(step);
}

/** Returns the tokens of the signed thinking that is lost if the view changes at an index; 0 if the model does not bind. */
export function lostThinking(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  from: number,
): number {
  if (boundTo(context) === undefined) return 0;
  let tokens = 0;
  for (const index of context.signedIn(entries)) {
    const entry = entries[index] as ViewEntry;
    if (index < from) continue;
    const step = showsThinking(context, entry) ? context.answerAt(entry) : undefined;
    if (step !== undefined) tokens += thinkingTokens(step);
  }
  return tokens;
}

const counted = new WeakMap<AssistantStep, number>();

function thinkingTokens(step: AssistantStep): number {
  return madeOnce(counted, step, ({ assistant }) =>
    contentTokens(assistant.filter(isSignedThinking), rawEstimator),
  );
}
