import { defined, type ObjectId } from "@self-context-manager/objects";
import { callsOf, isAssistantStep, type Step } from "../../chat/turn.ts";
import type { UseKey } from "../../policy/activation-policy.ts";
import type { EpochEnd, EpochFigures } from "../../view/layout.ts";
import {
  handlesShown,
  type NoticeEntry,
  type SummaryEntry,
  type UserEntry,
  type ViewEntry,
} from "../../view/view-entry.ts";
import type { ViewRecord } from "../../view/view-record.ts";
import {
  boundTo,
  firstChange,
  firstOther,
  showsThinking,
  withoutThinking,
} from "./bound-thinking.ts";
import { corrections, linkedLines, loadedLines, pinnedNotice } from "./corrections.ts";
import { sized } from "./entry-messages.ts";
import { epochEnd, isOverBudget, weigh } from "./epoch-end.ts";
import { type EpochMemory, epochMemory, firstMemory } from "./epoch-memory.ts";
import { fitBudget } from "./fit-budget.ts";
import { lacksNewestThinking, withoutFreeTexts } from "./free-texts.ts";
import { argumentsInView } from "./large-arguments.ts";
import { hasReturned, startedByUser, withoutLeftOut } from "./leave-out-messages.ts";
import { pinnedAgain } from "./pinned-again.ts";
import type { PlanningContext } from "./planning-context.ts";
import { resultEntry, stepEntries } from "./result-entries.ts";
import { shownParts, type ShownParts } from "./shown-parts.ts";
import { type Removable, removables, sweep, type Swept } from "./sweep.ts";
import { lacksNewestTexts, userEntry } from "./user-entries.ts";
import { plainTokens, total } from "./view-tokens.ts";
import { missingObjects, outdatedObjects } from "./wanted-parts.ts";

/** A view as it will be sent, with the figures of the decision. */
export interface PlannedView {
  readonly entries: readonly ViewEntry[];
  readonly memory: EpochMemory;
  /** Index of the first entry that differs from the last view. */
  readonly cut: number;
  readonly figures: EpochFigures;
  /** Active objects whose content left the view. */
  readonly deactivated: readonly ObjectId[];
}

/** The entries of the last view that the next one begins with. */
interface KeptEntries {
  readonly record: ViewRecord;
  /** Index of the first entry that differs from the last view. */
  readonly cut: number;
}

interface Grown {
  readonly entries: readonly ViewEntry[];
  /** Number of entries that were sent before. */
  readonly sent: number;
  readonly cut: number;
  readonly end?: EpochEnd;
}

/**
 * Plans the view of the next call: the sent entries and the new ones. When an epoch ends, content is removed from both.
 */
export function planView(context: PlanningContext, last: ViewRecord | undefined): PlannedView {
  const { input } = context;
  const before = last === undefined ? firstMemory : epochMemory(last);
  const compaction = compactionName(context);
  const isCompacted = last !== undefined && before.compaction !== compaction;
  const isBack = last !== undefined && hasReturned(context, last);
  const isReplaced =
    isCompacted || isBack || (last !== undefined && hasMoreRoom(context, last, before));
  const kept =
    last === undefined || isReplaced
      ? undefined
      : withAcceptedThinking(context, withoutLeftOut(context, withinChat(context, last)));
  const from = kept?.record;
  const bound = boundTo(context);
  const isTrusted = last !== undefined && bound !== undefined && before.bound_to === bound;
  const isSame = from === last && input.changedFrom === undefined;
  const grown = grow(context, kept, before.scarce, isTrusted && isSame);
  const end = isCompacted ? "compaction" : isBack ? "returned" : isReplaced ? "budget" : grown.end;
  const unsentFrom = grown.entries.findLastIndex(({ type }) => type === "assistant") + 1;
  const call = before.calls + 1;
  const found = removables(context, grown.entries, unsentFrom);
  const isCut = from !== undefined && from !== last;
  const died = end === undefined && !isCut ? before.died : {};
  const weighing = weigh(context, grown.entries, found, died, call);
  const isRefused =
    bound !== undefined &&
    !isTrusted &&
    grown.entries.some((entry) => showsThinking(context, entry));
  const reason =
    end ??
    (isRefused && !isOverBudget(context, grown.entries)
      ? "thinking"
      : epochEnd(context, grown.entries, found, weighing, unsentFrom));
  const accepted = isRefused ? 0 : grown.end === undefined ? grown.entries.length : grown.cut;
  const scarce = from === undefined ? [] : before.scarce;
  const ended = finish(context, grown, found, reason, {
    unsentFrom,
    accepted,
    scarce,
    isEnded: end !== undefined,
    ...(isReplaced && !isCompacted ? { replaced: last.entries } : {}),
  });
  const isNew = reason !== undefined && (ended.cut < grown.entries.length || end !== undefined);
  const deactivated = isNew ? inactive(context, ended.entries) : [];
  const memory: EpochMemory = {
    epoch: isNew ? before.epoch + 1 : before.epoch,
    calls: isNew ? 1 : call,
    ...(isNew ? { ended_by: ended.reason } : defined({ ended_by: before.ended_by })),
    left: isNew ? [...summarized(context, last, ended), ...ended.removed] : before.left,
    died: isNew ? {} : weighing.died,
    plain_tokens:
      (from === undefined ? 0 : before.plain_tokens) +
      plainTokens(context, grown.entries.slice(grown.sent)),
    ...defined({ left_out: input.leftOut, compaction, bound_to: bound }),
    ...lacking(context, ended, from === undefined ? firstMemory : before, deactivated),
  };
  return {
    entries: ended.entries,
    memory,
    cut: isReplaced ? 0 : Math.min(grown.cut, ended.cut),
    deactivated,
    figures: {
      number: memory.epoch,
      calls: memory.calls,
      ...defined({ endedBy: memory.ended_by }),
      isNew,
      left: memory.left,
      deadTokens: isNew ? 0 : weighing.deadTokens,
      carried: isNew ? 0 : weighing.carried,
      rewrite: weighing.rewrite,
      promptTokens: sharedTokens(ended.entries, ended.entries.length),
      sharedTokens: sharedTokens(ended.entries, isReplaced ? 0 : Math.min(grown.cut, ended.cut)),
      appendOnlyTokens: memory.plain_tokens,
    },
  };
}

/** Returns the contents and arguments that left the view because a new summary replaces their messages. */
function summarized(
  context: PlanningContext,
  last: ViewRecord | undefined,
  { entries, removed }: Finished,
): readonly UseKey[] {
  const compaction = compactionName(context);
  if (last === undefined || compaction === undefined) return [];
  if (epochMemory(last).compaction === compaction) return [];
  const others = new Set([...keysShown(context, entries), ...removed]);
  const before = keysShown(context, withinChat(context, last).entries);
  return [...new Set(before)].filter((key) => !others.has(key));
}

function keysShown(context: PlanningContext, entries: readonly ViewEntry[]): readonly UseKey[] {
  return entries.flatMap((entry) =>
    entry.type === "assistant"
      ? argumentsInView(context, entry).map(({ key }) => key)
      : [...handlesShown([entry])],
  );
}

/** Factor by which the budget must grow before messages that had to leave the view return. */
const moreRoom = 1.5;

/**
 * Whether a view that had to leave messages out can have more tokens now, for example after a change of the model. Also
 * whether a user message that was shown in part fits now, for example because the estimate of its tokens is smaller, and
 * whether long texts or thinking have left a turn that is the newest again.
 */
function hasMoreRoom(
  context: PlanningContext,
  last: ViewRecord,
  { short_for: short }: EpochMemory,
): boolean {
  const { budget } = context.input;
  if (lacksNewestTexts(context, last.entries)) return true;
  if (lacksNewestThinking(context, last.entries)) return true;
  if (short === undefined) return false;
  if (budget === undefined || budget >= short * moreRoom) return true;
  const user = last.entries.findLast((entry) => entry.type === "user");
  if (user?.head === undefined || context.input.turns[user.turn] === undefined) return false;
  const whole = sized<UserEntry>({ type: "user", turn: user.turn }, context.source);
  return total(context, [whole]) <= budget;
}

/**
 * Returns what the memory keeps about missing space: the budget for which messages had to leave, and the objects that
 * are not fully shown. Deactivated objects are not among them: they are active again only if they are requested again.
 */
function lacking(
  context: PlanningContext,
  { isShort, scarce }: Finished,
  before: EpochMemory,
  deactivated: readonly ObjectId[],
): Pick<EpochMemory, "short_for" | "scarce"> {
  const short = isShort === true ? context.input.budget : before.short_for;
  const lacks = (scarce ?? before.scarce ?? []).filter((handle) => {
    const object = context.active.get(handle);
    return object !== undefined && !deactivated.includes(object.entry.id);
  });
  return { ...defined({ short_for: short }), ...(lacks.length === 0 ? {} : { scarce: lacks }) };
}

/**
 * Returns the part of a record that describes the present chat. If the user went back, entries of the abandoned branch
 * are removed.
 */
function withinChat({ input }: PlanningContext, last: ViewRecord): ViewRecord {
  const { turns } = input;
  const steps = turns.at(-1)?.steps.length ?? 0;
  const isWithin =
    last.turns < turns.length || (last.turns === turns.length && last.steps <= steps);
  if (isWithin) return last;
  const cut = last.entries.findIndex(
    (entry) =>
      "turn" in entry &&
      (entry.turn >= turns.length ||
        ("step" in entry && entry.turn === turns.length - 1 && entry.step >= steps)),
  );
  const entries = cut === -1 ? last.entries : last.entries.slice(0, cut);
  return { ...last, entries, turns: turns.length, steps };
}

/** Returns the kept entries without the thinking that was made behind other added messages than the view has now. */
function withAcceptedThinking(context: PlanningContext, kept: KeptEntries): KeptEntries {
  const { changedFrom } = context.input;
  if (changedFrom === undefined || boundTo(context) === undefined) return kept;
  const entries = withoutThinking(context, kept.record.entries, changedFrom);
  const cut = firstChange(kept.record.entries, entries);
  if (cut === entries.length && cut === kept.record.entries.length) return kept;
  return { record: { ...kept.record, entries }, cut: Math.min(kept.cut, cut) };
}

function sharedTokens(entries: readonly ViewEntry[], cut: number): number {
  let tokens = 0;
  for (let index = 0; index < cut; index += 1) tokens += entries[index]?.tokens ?? 0;
  return tokens;
}

/**
 * Appends to the entries already sent whatever is new in the chat and among the active objects. `isTrusted`: whether
 * the model accepts the thinking that it made after the sent entries.
 */
function grow(
  context: PlanningContext,
  kept: KeptEntries | undefined,
  scarce: readonly UseKey[] | undefined,
  isTrusted: boolean,
): Grown {
  const last = kept?.record;
  const entries: ViewEntry[] = last === undefined ? [] : [...last.entries];
  const sent = entries.length;
  const parts = shownParts(entries, last === undefined ? [] : scarce);
  const late = last === undefined ? entries.length : takeLateResults(context, entries, parts);
  const { turns, compaction } = context.input;
  // An empty view is not sent.
  const isNext = isTrusted && sent > 0;
  const start = compaction?.from ?? { turn: 0, step: -1 };
  if (last === undefined && compaction !== undefined)
    entries.push(sized<SummaryEntry>({ type: "summary" }, context.source));
  const add = (entry: ViewEntry | undefined): void => {
    if (entry !== undefined) entries.push(entry);
  };
  const from = last === undefined ? start : { turn: Math.max(0, last.turns - 1), step: last.steps };
  for (let turn = from.turn; turn < turns.length; turn += 1) {
    const isFirst = turn === from.turn;
    const isBegun = isFirst && (last === undefined ? from.step >= 0 : last.turns > 0);
    const user = isBegun ? undefined : userEntry(context, turn);
    if (user !== undefined) parts.add(user);
    add(user);
    const steps = turns[turn]?.steps.length ?? 0;
    const firstStep = isFirst ? Math.max(0, from.step) : 0;
    for (let step = firstStep; step < steps; step += 1) {
      const answers = context.input.turns[turn]?.steps[step];
      const keepsThinking = isNext && entries.length === sent && isAnswerToLast(context, answers);
      for (const entry of stepEntries(context, parts, turn, step, keepsThinking)) add(entry);
    }
  }
  if (entries[0]?.type === "assistant")
    entries.splice(0, entries.length, ...startedByUser(context, entries));
  for (const entry of missingObjects(context, parts)) add(entry);
  for (const entry of loadedLines(context, entries)) add(entry);
  for (const entry of linkedLines(context, entries)) add(entry);
  if (last !== undefined) for (const entry of corrections(context, entries)) add(entry);
  for (const text of context.input.notes ?? [])
    add(sized<NoticeEntry>({ type: "notice", text }, context.source));
  add(pinnedNotice(context, entries));
  if (last !== undefined) entries.push(...pinnedAgain(context, entries, sent, scarce));
  return late < sent
    ? { entries, sent, cut: Math.min(late, kept?.cut ?? sent), end: "late-result" }
    : { entries, sent, cut: Math.min(sent, kept?.cut ?? sent) };
}

/** Whether a step is the answer to the last view. Other answers were thought after messages that no record contains. */
function isAnswerToLast({ input }: PlanningContext, step: Step | undefined): boolean {
  if (step === undefined || !isAssistantStep(step) || step.view === undefined) return false;
  return step.view === input.lastCall;
}

/** Puts results that arrived after later messages at their places. Returns the index of the first changed entry. */
function takeLateResults(
  context: PlanningContext,
  entries: ViewEntry[],
  parts: ShownParts,
): number {
  let first = entries.length;
  entries.forEach((entry, index) => {
    if (entry.type !== "result" || entry.of !== undefined) return;
    const step = context.input.turns[entry.turn]?.steps[entry.step];
    const call = step === undefined ? undefined : callsOf(step)[entry.call];
    if (call === undefined) return;
    const { turn, step: stepIndex, call: position } = entry;
    const place = { turn, step: stepIndex, call: position };
    const result = resultEntry(context, parts, place, call, true);
    if (result.of === undefined) return;
    entries[index] = result;
    parts.add(result);
    first = Math.min(first, index);
  });
  return first;
}

function compactionName({ input }: PlanningContext): string | undefined {
  const { compaction } = input;
  if (compaction === undefined) return undefined;
  return `${compaction.from.turn}.${compaction.from.step} ${compaction.timestamp ?? ""} ${compaction.key ?? ""}`;
}

interface Finished {
  readonly entries: readonly ViewEntry[];
  readonly cut: number;
  readonly removed: readonly UseKey[];
  readonly reason: EpochEnd;
  /** Whether messages had to leave the view. */
  readonly isShort?: boolean;
  readonly scarce?: readonly UseKey[];
}

interface FinishOptions {
  readonly unsentFrom: number;
  /** The number of entries before which the view did not change anyway. */
  readonly accepted: number;
  /** The objects of which an earlier budget did not allow to show more. */
  readonly scarce: readonly UseKey[] | undefined;
  /** Whether the epoch ends even if nothing leaves. */
  readonly isEnded: boolean;
  /** The entries of the last view, if this view is made without them although their messages are still there. */
  readonly replaced?: readonly ViewEntry[];
}

function finish(
  context: PlanningContext,
  grown: Grown,
  found: readonly Removable[],
  reason: EpochEnd | undefined,
  { unsentFrom, accepted, scarce: known, isEnded, replaced }: FinishOptions,
): Finished {
  if (reason === undefined)
    return { entries: grown.entries, cut: grown.entries.length, removed: [], reason: "carried" };
  const isForced = context.settings.deactivate === "immediate" && reason === "carried";
  const leaving = found.filter(({ stays, isDead }) => (isForced ? isDead : !stays));
  const swept = withNewest(context, sweep(context, grown.entries, leaving, unsentFrom), known);
  // What was before the first answer can have left.
  const begun = startedByUser(context, swept.entries);
  const withoutFree = (made: readonly ViewEntry[], cut: number): readonly ViewEntry[] => {
    if (!isEnded && cut >= grown.entries.length) return made;
    const from = replaced === undefined ? Math.min(cut, grown.cut) : firstOther(replaced, made);
    const shorter = withoutFreeTexts(context, made, from);
    return withValidThinking(context, grown, shorter, accepted);
  };
  const valid = withValidThinking(context, grown, begun, accepted);
  const sweptCut = Math.min(swept.cut, firstChange(grown.entries, valid));
  const entries = withoutFree(valid, sweptCut);
  if (!isOverBudget(context, entries)) return { ...swept, entries, cut: sweptCut, reason };
  const unsent = grown.entries.slice(unsentFrom).filter(({ type }) => type === "object");
  const fitted = fitBudget(context, entries, handlesShown(unsent));
  const removed = [...new Set([...swept.removed, ...fitted.removed])];
  const cut = Math.min(sweptCut, fitted.cut);
  const { isShort, scarce } = fitted;
  return {
    entries: withoutFree(withValidThinking(context, grown, fitted.entries, accepted), cut),
    cut,
    removed,
    reason: "budget",
    isShort,
    scarce,
  };
}

/**
 * Returns a changed view without the signed thinking behind the first change. `accepted`: the number of entries before
 * which the view did not change anyway.
 */
function withValidThinking(
  context: PlanningContext,
  grown: Grown,
  entries: readonly ViewEntry[],
  accepted: number,
): readonly ViewEntry[] {
  if (boundTo(context) === undefined) return entries;
  const from = Math.min(accepted, firstChange(grown.entries, entries));
  return withoutThinking(context, entries, from);
}

/** Appends the newest version of files whose changing calls have left the view. */
function withNewest(
  context: PlanningContext,
  swept: Swept,
  scarce: readonly UseKey[] | undefined,
): Swept {
  const outdated = outdatedObjects(context, shownParts(swept.entries, scarce));
  return outdated.length === 0 ? swept : { ...swept, entries: [...swept.entries, ...outdated] };
}

/** Returns the active objects that are not pinned and have no content in view after an epoch's end. */
function inactive(context: PlanningContext, entries: readonly ViewEntry[]): readonly ObjectId[] {
  const inView = handlesShown(entries);
  return context.input.active
    .filter(({ entry, isPinned }) => !isPinned && !inView.has(entry.handle))
    .map(({ entry }) => entry.id);
}
