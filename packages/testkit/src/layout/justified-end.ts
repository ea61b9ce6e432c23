import {
  calibratedEstimator,
  contentParts,
  type LayoutInput,
  leftOutOf,
  messageTokens,
  placesOf,
  type ViewEntry,
  type ViewRecord,
} from "@self-context-manager/core/layout";
import { type EpochSettings, type Layout, type ViewMessage } from "@self-context-manager/core";
import type { EpochFigures } from "@self-context-manager/core/host";

import { signatureIn } from "./bound-thinking-check.ts";
import { type PlayedCall, usualCache } from "./play-session.ts";
import { isFoldLeftOut } from "./fold-faults.ts";

export function totalTokens(messages: readonly ViewMessage[]): number {
  const estimator = calibratedEstimator();
  return messages.reduce((sum, message) => sum + Math.ceil(messageTokens(message, estimator)), 0);
}

/** Whether the last view was made for a model whose thinking the present one does not accept. */
export function isOtherModel({ model, lastModel }: PlayedCall): boolean {
  if (model.thinking !== "bound" || lastModel === undefined) return false;
  return lastModel.thinking !== "bound" || lastModel.head !== model.head;
}

/** Whether a result has arrived that the last view did not contain. */
export function isLate(entry: ViewEntry, { turns, pool }: LayoutInput): boolean {
  if (entry.type !== "result" || entry.of !== undefined) return false;
  const step = turns[entry.turn]?.steps[entry.step];
  const id = step !== undefined && "assistant" in step ? step.toolcall_ids[entry.call] : undefined;
  return id !== undefined && pool.has(id);
}

/**
 * Whether the reason that a layout gives for the end of an epoch holds. `patient` is the same layout, which ends none for
 * the cost of inactive content.
 */
export function isJustified(
  call: PlayedCall,
  { endedBy, left }: EpochFigures,
  settings: EpochSettings,
  patient: Layout,
): boolean {
  const { input, last, lastBudget, isCompacted, inputFrom } = call;
  const mayCost = settings.deactivate === "immediate" || settings.superseded === "at-once";
  // If other messages are left out, the thinking is refused in any case.
  const isCostly = losesThinkingInTurn(call) && !hasOtherMessages(call);
  const isOwnChoice = endedBy === "carried" || endedBy === "outputs" || endedBy === "cold";
  if (isOwnChoice && !mayCost && isCostly) return false;
  switch (endedBy) {
    case "compaction":
      return isCompacted;
    case "late-result":
      return last?.entries.some((entry) => isLate(entry, input)) === true;
    case "cold":
      return isColdEnd(call, left);
    case "budget": {
      const { budget, ...rest } = inputFrom(patient, last);
      // These events change the view, whether or not the budget is sufficient.
      if (isCompacted || hasReturned(call)) return true;
      if (last?.entries.some((entry) => isLate(entry, input)) === true) return true;
      if (lastBudget !== undefined && (budget ?? Number.POSITIVE_INFINITY) > lastBudget)
        return true;
      if (isUserMessageWholeAgain(call)) return true;
      const epochs = { ...rest.epochs, cache: usualCache };
      const { tokens, epoch, record } = patient.render({ ...rest, epochs }, last);
      const grown = tokens.metadata + tokens.chat + tokens.active;
      // Without a limit the removed content returns. Then no figure shows how long the view would have grown.
      const most =
        totalTokens(call.lastMessages) +
        (call.output.epoch?.appendOnlyTokens ?? 0) +
        broughtTokens(record, last);
      const would = epoch?.isNew === true ? most * (input.calibration?.factor ?? 1) : grown;
      if (budget !== undefined && would > budget) return true;
      // An end with another reason is reported as the budget's if the newest contents then did not fit.
      return isColdEnd(call, left) || isCarriedEnd(call, settings, patient);
    }
    case "carried":
      return isCarriedEnd(call, settings, patient);
    case "outputs":
      return isOutputsEnd(call);
    case "returned":
      return hasReturned(call) || isFoldLeftOut(last, input);
    case "thinking":
      return isOtherModel(call) && call.lastMessages.some((one) => signatureIn(one) !== undefined);
    // No session of these laws asks for folded work, or forgets.
    case "unfolded":
    case "forgotten":
    case undefined:
      return false;
    default:
      return endedBy satisfies never;
  }
}

/** Whether the view leaves out other messages than the last one. */
export function hasOtherMessages({ input, lastLeftOut }: PlayedCall): boolean {
  return lastLeftOut.join() !== (input.leftOut ?? []).join();
}

export function leftMiddles({ last, output }: PlayedCall): readonly LeftMiddle[] {
  const now = new Map<string, ResultEntry>();
  for (const entry of output.record.entries)
    if (entry.type === "result") now.set(placeOf(entry), entry);
  return (last?.entries ?? []).flatMap((entry, index) => {
    if (entry.type !== "result" || !hasOwn(entry, "whole")) return [];
    const later = now.get(placeOf(entry));
    if (later === undefined || !hasOwn(later, "part")) return [];
    return [{ index, place: entry, tokens: entry.tokens - later.tokens }];
  });
}

/** Whether messages that the last view left out are in the chat, and are no longer left out. */
function hasReturned({ input, lastLeftOut }: PlayedCall): boolean {
  const leftOut = leftOutOf(input.leftOut ?? []);
  return placesOf(input.turns, leftOutOf(lastLeftOut)).some((place) => !leftOut.has(place));
}

/**
 * Whether a view that follows results of tools shows less of the signed thinking than the last one, although the model
 * would have accepted it.
 */
function losesThinkingInTurn(call: PlayedCall): boolean {
  const { model, lastMessages, output } = call;
  if (model.thinking !== "bound" || isOtherModel(call)) return false;
  const answered = output.record.entries.findLastIndex(({ type }) => type === "assistant");
  if (output.record.entries.slice(answered + 1).some(({ type }) => type === "user")) return false;
  const kept = new Set(output.messages.map(signatureIn));
  return lastMessages.some((message) => {
    const signature = signatureIn(message);
    return signature !== undefined && !kept.has(signature);
  });
}

/** Whether the newest user message of the last view was shown in part, and this view shows it whole. */
function isUserMessageWholeAgain({ last, output }: PlayedCall): boolean {
  return (last?.entries ?? []).some(
    (before) =>
      before.type === "user" &&
      isInPart(before) &&
      output.record.entries.some(
        (entry) => entry.type === "user" && entry.turn === before.turn && !isInPart(entry),
      ),
  );
}

function isInPart({ head, parts = [] }: ViewEntry & { readonly type: "user" }): boolean {
  return head !== undefined || parts.some((part) => part.head !== undefined || part.gone === true);
}

/**
 * Returns the tokens of the contents that a view shows in new results. A chat that is only appended to does not show a
 * content again.
 */
function broughtTokens({ entries }: ViewRecord, last: ViewRecord | undefined): number {
  return entries.reduce((sum, entry) => {
    const isNew = entry.type === "result" && isAfter(entry, last);
    return isNew && contentParts(entry).length > 0 ? sum + entry.tokens : sum;
  }, 0);
}

/** Whether a place of the chat is after the part that a view represents. */
function isAfter(
  { turn, step }: { readonly turn: number; readonly step: number },
  last: ViewRecord | undefined,
): boolean {
  if (last === undefined) return true;
  return turn >= last.turns || (turn === last.turns - 1 && step >= last.steps);
}

function isColdEnd({ input }: PlayedCall, left: EpochFigures["left"]): boolean {
  return input.epochs?.cache?.isCold === true && left.length > 0;
}

function isCarriedEnd(call: PlayedCall, settings: EpochSettings, patient: Layout): boolean {
  const { last, inputFrom } = call;
  if (settings.superseded === "at-once" && showsReplaced(call)) return true;
  const figures = patient.render(inputFrom(patient, last), last).epoch;
  if (figures === undefined || figures.deadTokens === 0) return false;
  if (settings.deactivate === "immediate" || settings.superseded === "at-once") return true;
  const share = Math.min(settings.share, settings.shareAtTurn, settings.shareDeactivated / 2);
  return figures.carried >= share * figures.rewrite;
}

/** Whether middles of outputs left that had cost about half of what writing again what follows them costs. */
function isOutputsEnd(call: PlayedCall): boolean {
  const { input, last, output } = call;
  const { read, write, isCold } = input.epochs?.cache ?? usualCache;
  const found = leftMiddles(call);
  const [first] = found;
  if (first === undefined || last === undefined) return false;
  if (isCold) return true;
  // The answers that are in folds now were sent behind the outputs too.
  const answers = output.record.entries
    .filter(isAnswer)
    .flatMap(({ turn, step, fold }) =>
      [step, ...(fold?.steps ?? [])].map((at) => [turn, at] as const),
    );
  const carried = found.reduce((sum, { tokens, place: { turn, step } }) => {
    const behind = answers.filter(
      ([ofTurn, at]) => ofTurn > turn || (ofTurn === turn && at > step),
    );
    return sum + read * tokens * (behind.length - 1);
  }, 0);
  const written = last.entries.slice(first.index).reduce((sum, { tokens }) => sum + tokens, 0);
  const gone = found.reduce((sum, { tokens }) => sum + tokens, 0);
  // The layout estimates the tokens of a mark between the ends.
  return carried >= 0.4 * (write - read) * (written - gone);
}

function isAnswer(entry: ViewEntry): entry is ViewEntry & { readonly type: "assistant" } {
  return entry.type === "assistant";
}

type ResultEntry = ViewEntry & { readonly type: "result" };

/** A result that the last view showed whole, and this one by its ends. */
interface LeftMiddle {
  /** Index in the last view. */
  readonly index: number;
  readonly place: ResultEntry;
  /** The tokens that left. */
  readonly tokens: number;
}

function placeOf({ turn, step, call }: ResultEntry): string {
  return `${turn}.${step}.${call}`;
}

function hasOwn({ of, shows }: ResultEntry, form: "whole" | "part"): boolean {
  return shows?.some((part) => part.of === of && part.form === form) === true;
}

/** Whether the last view shows an old version of an active object. */
function showsReplaced({ input, last }: PlayedCall): boolean {
  const newest = new Map(input.active.map(({ entry, stored }) => [entry.handle, stored.version]));
  return (
    last?.entries.some((entry) =>
      contentParts(entry).some(({ of, version }) => version < (newest.get(of) ?? version)),
    ) === true
  );
}
