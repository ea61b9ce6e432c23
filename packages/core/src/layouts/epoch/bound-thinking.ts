import {
  hasSignedThinking,
  isSignedThinking,
  withoutSignedThinking,
} from "../../chat/signed-thinking.ts";
import { type AssistantStep, isAssistantStep } from "../../chat/turn.ts";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { contentTokens } from "../../render/message-tokens.ts";
import { withoutEmpty } from "../../render/step-content.ts";
import { entryRow } from "../../view/entry-row.ts";
import type { AssistantEntry, ViewEntry } from "../../view/view-entry.ts";
import { sized } from "./entry-messages.ts";
import type { PlanningContext } from "./planning-context.ts";

/**
 * Returns what the thinking of a view is bound to besides its messages, or undefined if the model does not bind. Thinking
 * of a view with another value was made by another model or after another system prompt.
 */
export function boundTo({ input }: PlanningContext): string | undefined {
  return input.thinking === "bound" ? (input.head ?? "") : undefined;
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
  const step = answerAt(context, place);
  if (step === undefined) return undefined;
  const isLeftOut = !keepsThinking && boundTo(context) !== undefined && hasSignedThinking(step);
  const said = isLeftOut ? withoutSignedThinking(step.assistant) : step.assistant;
  if (withoutEmpty(said).length === 0) return undefined;
  return sized<AssistantEntry>(
    { type: "assistant", ...place, ...(isLeftOut ? { thinking: "left-out" } : {}) },
    context.source,
  );
}

/**
 * Returns a view without signed thinking from an index on. A provider that binds thinking does not accept a block if
 * anything before it has changed, nor any block after a missing one. Answers that contain only thinking are left out.
 */
export function withoutThinking(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  from: number,
): readonly ViewEntry[] {
  return entries.flatMap((entry, index): readonly ViewEntry[] => {
    if (index < from || !showsThinking(context, entry)) return [entry];
    const left = answerEntry(context, { turn: entry.turn, step: entry.step }, false);
    if (left === undefined || entry.stubs === undefined) return left === undefined ? [] : [left];
    const { tokens: _tokens, ...rest } = left;
    return [sized<AssistantEntry>({ ...rest, stubs: entry.stubs }, context.source)];
  });
}

/** Whether an entry shows signed thinking. */
export function showsThinking(context: PlanningContext, entry: ViewEntry): entry is AssistantEntry {
  if (entry.type !== "assistant" || entry.thinking !== undefined) return false;
  const step = answerAt(context, entry);
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
  for (let index = from; index < entries.length; index += 1) {
    const entry = entries[index];
    if (entry === undefined || !showsThinking(context, entry)) continue;
    const step = answerAt(context, entry);
    if (step !== undefined) tokens += thinkingTokens(step);
  }
  return tokens;
}

/** Returns the index of the first entry that differs from the view before, or the number of entries if none differs. */
export function firstChange(before: readonly ViewEntry[], now: readonly ViewEntry[]): number {
  const index = now.findIndex((entry, at) => entry !== before[at]);
  return index === -1 ? now.length : index;
}

/** Returns the index of the first entry that gives another message than in the view before. */
export function firstOther(before: readonly ViewEntry[], now: readonly ViewEntry[]): number {
  const index = now.findIndex((entry, at) => rowOf(entry) !== rowOf(before[at]));
  return index === -1 ? now.length : index;
}

function rowOf(entry: ViewEntry | undefined): string {
  return JSON.stringify(entry === undefined ? null : entryRow(entry));
}

const counted = new WeakMap<AssistantStep, number>();

function thinkingTokens(step: AssistantStep): number {
  const known = counted.get(step);
  if (known !== undefined) return known;
  const tokens = contentTokens(step.assistant.filter(isSignedThinking), rawEstimator);
  counted.set(step, tokens);
  return tokens;
}

function answerAt(
  { input }: PlanningContext,
  place: { readonly turn: number; readonly step: number },
): AssistantStep | undefined {
  const step = input.turns[place.turn]?.steps[place.step];
  return step !== undefined && isAssistantStep(step) ? step : undefined;
}
