import type { ObjectId } from "@self-context-manager/objects";
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
import { corrections } from "./corrections.ts";
import {
  callsOf,
  missingObjects,
  outdatedObjects,
  resultEntry,
  stepEntries,
  userEntry,
} from "./deliver.ts";
import { type EpochMemory, epochMemory, firstMemory } from "./epoch-memory.ts";
import { fitBudget } from "./fit-budget.ts";
import { pinnedNotice } from "./pinned-notice.ts";
import { plainTokens } from "./plain-tokens.ts";
import { shownParts, type ShownParts } from "./shown-parts.ts";
import { type Leavable, leavables, sweep, type Swept } from "./sweep.ts";
import { weigh } from "./trigger.ts";
import { sized, type ViewDraft } from "./view-draft.ts";
import { total } from "./view-tokens.ts";

/** A view as it will be sent, and what the decision was made from. */
export interface PlannedView {
  readonly entries: readonly ViewEntry[];
  readonly memory: EpochMemory;
  /** The first entry that differs from what was sent before. */
  readonly cut: number;
  readonly figures: EpochFigures;
  /** Active objects whose content has left the view. */
  readonly left: readonly ObjectId[];
}

interface Grown {
  readonly entries: readonly ViewEntry[];
  /** How many of the entries were sent before. */
  readonly sent: number;
  readonly cut: number;
  readonly end?: EpochEnd;
}

/** Plans what the next call sees: what was sent before and what is new, and at an epoch's end less of it. */
export function planView(draft: ViewDraft, last: ViewRecord | undefined): PlannedView {
  const before = last === undefined ? firstMemory : epochMemory(last);
  const compaction = compactionName(draft);
  const isCompacted = last !== undefined && before.compaction !== compaction;
  const isReplaced = isCompacted || (last !== undefined && hasMoreRoom(draft, last, before));
  const from = last === undefined || isReplaced ? undefined : withinChat(draft, last);
  const grown = grow(draft, from, before.scarce);
  const end = isCompacted ? "compaction" : isReplaced ? "budget" : grown.end;
  const unsentFrom = grown.entries.findLastIndex(({ is }) => is === "assistant") + 1;
  const call = before.calls + 1;
  const found = leavables(draft, grown.entries, unsentFrom);
  const isCut = from !== undefined && from !== last;
  const died = end === undefined && !isCut ? before.died : {};
  const weighing = weigh(draft, grown.entries, found, died, call);
  const reason = end ?? endOf(draft, grown.entries, found, weighing, unsentFrom);
  const ended = finish(draft, grown, found, reason, unsentFrom);
  const isNew = reason !== undefined && (ended.cut < grown.entries.length || end !== undefined);
  const memory: EpochMemory = {
    epoch: isNew ? before.epoch + 1 : before.epoch,
    calls: isNew ? 1 : call,
    ...(isNew
      ? { ended_by: ended.reason }
      : before.ended_by === undefined
        ? {}
        : { ended_by: before.ended_by }),
    left: isNew ? ended.left : before.left,
    died: isNew ? {} : weighing.died,
    plain_tokens:
      (from === undefined ? 0 : before.plain_tokens) +
      plainTokens(draft, grown.entries.slice(grown.sent)),
    ...(compaction === undefined ? {} : { compaction }),
    ...lacking(draft, ended, from === undefined ? firstMemory : before),
  };
  return {
    entries: ended.entries,
    memory,
    cut: isReplaced ? 0 : Math.min(grown.cut, ended.cut),
    left: isNew ? inactive(draft, ended.entries) : [],
    figures: {
      number: memory.epoch,
      calls: memory.calls,
      ...(memory.ended_by === undefined ? {} : { endedBy: memory.ended_by }),
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

/** How much more room there must be for messages that had to leave to come back. */
const moreRoom = 1.5;

/** Whether a view that had to leave messages out may have more tokens now, as after a change of the model. */
function hasMoreRoom(
  draft: ViewDraft,
  last: ViewRecord,
  { short_for: short }: EpochMemory,
): boolean {
  const { budget } = draft.input;
  if (short === undefined) return false;
  if (budget === undefined || budget >= short * moreRoom) return true;
  const user = last.entries.findLast((entry) => entry.is === "user");
  if (user?.head === undefined || draft.input.turns[user.turn] === undefined) return false;
  const whole = sized<UserEntry>({ is: "user", turn: user.turn }, draft.source);
  return budget > short && total(draft, [whole]) <= budget;
}

/** What had to leave for want of room, or is shown in part. */
function lacking(
  draft: ViewDraft,
  { isShort, scarce }: Finished,
  before: EpochMemory,
): Pick<EpochMemory, "short_for" | "scarce"> {
  const short = isShort === true ? draft.input.budget : before.short_for;
  const lacks = (scarce ?? before.scarce ?? []).filter((handle) => draft.active.has(handle));
  return {
    ...(short === undefined ? {} : { short_for: short }),
    ...(lacks.length === 0 ? {} : { scarce: lacks }),
  };
}

/** What of a record stands for the chat as it is: where a person went back, the rest was for what is abandoned. */
function withinChat({ input }: ViewDraft, last: ViewRecord): ViewRecord {
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

function sharedTokens(entries: readonly ViewEntry[], cut: number): number {
  let tokens = 0;
  for (let index = 0; index < cut; index += 1) tokens += entries[index]?.tokens ?? 0;
  return tokens;
}

/** What was sent before, and after it what the chat and the active objects have more. */
function grow(
  draft: ViewDraft,
  last: ViewRecord | undefined,
  scarce: readonly UseKey[] | undefined,
): Grown {
  const entries: ViewEntry[] = last === undefined ? [] : [...last.entries];
  const sent = entries.length;
  const parts = shownParts(entries, last === undefined ? [] : scarce);
  const late = last === undefined ? entries.length : takeLateResults(draft, entries, parts);
  const { turns, compaction } = draft.input;
  const start = compaction?.from ?? { turn: 0, step: -1 };
  if (last === undefined && compaction !== undefined)
    entries.push(sized<SummaryEntry>({ is: "summary" }, draft.source));
  const add = (entry: ViewEntry | undefined): void => {
    if (entry !== undefined) entries.push(entry);
  };
  const from = last === undefined ? start : { turn: Math.max(0, last.turns - 1), step: last.steps };
  for (let turn = from.turn; turn < turns.length; turn += 1) {
    const isFirst = turn === from.turn;
    const isBegun = isFirst && (last === undefined ? from.step >= 0 : last.turns > 0);
    if (!isBegun) add(userEntry(draft, turn));
    const steps = turns[turn]?.steps.length ?? 0;
    const firstStep = isFirst ? Math.max(0, from.step) : 0;
    for (let step = firstStep; step < steps; step += 1)
      for (const entry of stepEntries(draft, parts, turn, step)) add(entry);
  }
  if (entries[0]?.is === "assistant") entries.unshift(opening(draft));
  for (const entry of missingObjects(draft, parts)) add(entry);
  if (last !== undefined) for (const entry of corrections(draft, entries)) add(entry);
  add(pinnedNotice(draft, entries));
  return late < sent
    ? { entries, sent, cut: late, end: "late-result" }
    : { entries, sent, cut: sent };
}

/** A result that came after a later message changes what was sent in its place. */
function takeLateResults(draft: ViewDraft, entries: ViewEntry[], parts: ShownParts): number {
  let first = entries.length;
  entries.forEach((entry, index) => {
    if (entry.is !== "result" || entry.of !== undefined) return;
    const step = draft.input.turns[entry.turn]?.steps[entry.step];
    const call = step === undefined ? undefined : callsOf(step)[entry.call];
    if (call === undefined) return;
    const { turn, step: stepIndex, call: position } = entry;
    const place = { turn, step: stepIndex, call: position };
    const result = resultEntry(draft, parts, place, call, true);
    if (result.of === undefined) return;
    entries[index] = result;
    parts.add(result);
    first = Math.min(first, index);
  });
  return first;
}

/** Providers want a user's message first. */
function opening(draft: ViewDraft): NoticeEntry {
  const text = "[the chat begins without a user's message]";
  return sized<NoticeEntry>({ is: "notice", text }, draft.source);
}

function compactionName({ input }: ViewDraft): string | undefined {
  const { compaction } = input;
  if (compaction === undefined) return undefined;
  return `${compaction.from.turn}.${compaction.from.step} ${compaction.timestamp ?? ""} ${compaction.key ?? ""}`;
}

function endOf(
  draft: ViewDraft,
  entries: readonly ViewEntry[],
  found: readonly Leavable[],
  { deadTokens, carried, rewrite }: ReturnType<typeof weigh>,
  unsentFrom: number,
): EpochEnd | undefined {
  const { settings, cache } = draft;
  if (isOver(draft, entries)) return "budget";
  if (cache.isCold && unsentFrom > 0 && found.some(({ stays }) => !stays)) return "cold";
  if (deadTokens === 0) return undefined;
  if (settings.deactivate === "immediate" || isReplacedAtOnce(draft, found)) return "carried";
  const isTurnStart = entries.slice(unsentFrom).some(({ is }) => is === "user");
  const share = isTurnStart ? settings.shareAtTurn : settings.share;
  return carried >= share * rewrite ? "carried" : undefined;
}

function isReplacedAtOnce({ settings, active }: ViewDraft, found: readonly Leavable[]): boolean {
  if (settings.superseded !== "at-once") return false;
  return found.some(({ isDead, keys }) => isDead && keys.every((key) => active.has(key)));
}

/** Whether a view has more tokens than the budget allows. */
function isOver(draft: ViewDraft, entries: readonly ViewEntry[]): boolean {
  const { budget } = draft.input;
  return budget !== undefined && total(draft, entries) > budget;
}

interface Finished {
  readonly entries: readonly ViewEntry[];
  readonly cut: number;
  readonly left: readonly UseKey[];
  readonly reason: EpochEnd;
  /** Messages had to leave. */
  readonly isShort?: boolean;
  readonly scarce?: readonly UseKey[];
}

function finish(
  draft: ViewDraft,
  grown: Grown,
  found: readonly Leavable[],
  reason: EpochEnd | undefined,
  unsentFrom: number,
): Finished {
  if (reason === undefined)
    return { entries: grown.entries, cut: grown.entries.length, left: [], reason: "carried" };
  const isForced = draft.settings.deactivate === "immediate" && reason === "carried";
  const leaving = found.filter(({ stays, isDead }) => (isForced ? isDead : !stays));
  const swept = withNewest(draft, sweep(draft, grown.entries, leaving, unsentFrom));
  if (!isOver(draft, swept.entries)) return { ...swept, reason };
  const fitted = fitBudget(draft, swept.entries);
  const left = [...new Set([...swept.left, ...fitted.left])];
  const cut = Math.min(swept.cut, fitted.cut);
  const { isShort, scarce } = fitted;
  return { entries: fitted.entries, cut, left, reason: "budget", isShort, scarce };
}

/** Where the calls that changed a file have left, what they made of it is shown. */
function withNewest(draft: ViewDraft, swept: Swept): Swept {
  const outdated = outdatedObjects(draft, shownParts(swept.entries));
  return outdated.length === 0 ? swept : { ...swept, entries: [...swept.entries, ...outdated] };
}

/** Active objects, not pinned, of which no content is in view after an end. */
function inactive(draft: ViewDraft, entries: readonly ViewEntry[]): readonly ObjectId[] {
  const inView = handlesShown(entries);
  return draft.input.active
    .filter(({ entry, isPinned }) => !isPinned && !inView.has(entry.handle))
    .map(({ entry }) => entry.id);
}
