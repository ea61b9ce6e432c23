import { defined, type ObjectId } from "@self-context-manager/objects";
import type { UseKey } from "../../policy/activation-policy.ts";
import { rawTokens } from "../../view/entry-groups.ts";
import { filledShare } from "../../view/filled-share.ts";
import type { EpochEnd, EpochFigures } from "../../view/layout.ts";
import { contentParts, handlesShown, partsOf, type ViewEntry } from "../../view/view-entry.ts";
import type { ViewRecord } from "../../view/view-record.ts";
import { appended, type Before } from "./appended.ts";
import { boundTo } from "./bound-thinking.ts";
import { cachedEntries, nextMarks } from "./cache-marks.ts";
import { epochEnd, weigh, type Weighing } from "./epoch-end.ts";
import { compactionName, type EpochMemory, epochMemory, firstMemory } from "./epoch-memory.ts";
import { shortened } from "./give-way.ts";
import { type Kept, keepEntries } from "./keep-entries.ts";
import { argumentsInView } from "./large-arguments.ts";
import { type Removable, removables } from "./leaving.ts";
import { begunByUser, withNewMessages } from "./new-messages.ts";
import { foldedOnly, type PlanningContext, withoutObjects } from "./planning-context.ts";
import { redraw } from "./redraw.ts";
import { firstChange, firstOther, firstUnsent } from "./same-entries.ts";
import { plainTokens } from "./plain-tokens.ts";
import { scarceObjects } from "./wanted-parts.ts";

/** What a view shows and why: the decisions about each message and object, with the figures behind them. */
export interface Decisions {
  /** The form, the version and the place of each part of the view, in order. */
  readonly entries: readonly ViewEntry[];
  readonly memory: EpochMemory;
  /** Index of the first entry that differs from the last view. */
  readonly cut: number;
  /** The entries after which a breakpoint is worth its price, in order. */
  readonly marks: readonly number[];
  readonly figures: EpochFigures;
  /** Active objects whose content left the view. */
  readonly deactivated: readonly ObjectId[];
}

/** A view from which nothing has left yet. */
interface Grown {
  /** The messages of the chat. */
  readonly chat: readonly ViewEntry[];
  /** The messages of the chat, and what is appended to them. */
  readonly entries: readonly ViewEntry[];
  readonly before: Before;
  /** Index of the first entry that differs from the last view anyway. */
  readonly firstChanged: number;
  /** Index of the first entry that the model has not seen. */
  readonly unsentFrom: number;
  /** Number of entries that are kept of the last view. */
  readonly sent: number;
  /** What the thinking of this view is bound to. */
  readonly boundTo: string | undefined;
  /** Returns how many entries the provider reads from its cache if those before an index stay. */
  readonly cachedBefore: (cut: number) => number;
}

/** A view after an epoch has ended. */
interface Ended {
  readonly entries: readonly ViewEntry[];
  readonly reason: EpochEnd;
  /** The keys of the contents and arguments that left. */
  readonly removed: readonly UseKey[];
  /** Whether messages had to leave for the budget, or are shown in part. */
  readonly isShort?: boolean;
  /** The objects of which the budget did not allow to show more, if it ended the epoch. */
  readonly scarce?: readonly UseKey[];
}

/**
 * Decides what the next view shows: the last view as far as it is still true, what is new, and which parts leave when an
 * epoch ends. What has not changed is the same object as in the last view.
 */
export function decide(context: PlanningContext, last: ViewRecord | undefined): Decisions {
  const before = last === undefined ? firstMemory : epochMemory(last);
  const kept = keepEntries(context, last, before);
  const grown = grow(context, kept, last, before);
  const { unsentFrom } = grown;
  const canLeave = removables(context, grown.entries, unsentFrom);
  const died = kept.isWhole && kept.end === undefined ? before.died : {};
  const weighing = weigh(context, grown, canLeave, died, before.calls + 1);
  const reason = kept.end ?? epochEnd(context, grown.entries, canLeave, weighing, unsentFrom);
  const ended =
    reason === undefined ? undefined : end(context, grown, canLeave, reason, weighing.middles?.cut);
  const isNew = ended !== undefined;
  const entries = ended?.entries ?? grown.entries;
  const deactivated = isNew ? inactive(context, entries) : [];
  const left = isNew ? [...summarized(context, last, ended), ...ended.removed] : before.left;
  const known = kept.until === undefined ? firstMemory : before;
  const { forgottenFrom = Infinity } = context.epochs;
  const cut = isNew ? Math.min(forgottenFrom, firstChange(last?.entries ?? [], entries)) : kept.cut;
  const cached = grown.cachedBefore(cut);
  const found = isNew ? removables(context, entries, firstUnsent(entries)) : canLeave;
  const marks = nextMarks(context, before, { entries, cached, cut, found });
  const memory: EpochMemory = {
    epoch: isNew ? before.epoch + 1 : before.epoch,
    calls: isNew ? 1 : before.calls + 1,
    ...defined({ ended_by: isNew ? ended.reason : before.ended_by }),
    left,
    died: isNew ? stillDead(weighing.died, ended.reason, cut, before.calls) : weighing.died,
    plain_tokens: known.plain_tokens + plainTokens(context, grown.entries.slice(grown.sent)),
    ...defined({
      left_out: context.input.leftOut,
      unfolded: context.epochs.unfolded,
      compaction: compactionName(context.input),
      bound_to: grown.boundTo,
      marks,
      first_end: isNew || last === undefined ? entries.length : before.first_end,
      short_for: ended?.isShort === true ? context.budget : known.short_for,
      scarce: stillScarce(context, ended?.scarce ?? known.scarce, deactivated),
    }),
  };
  return {
    entries,
    memory,
    cut,
    marks,
    deactivated,
    figures: figuresOf(memory, weighing, ended, entries, { cut, cached }),
  };
}

function figuresOf(
  { epoch, calls, ended_by: endedBy, left, plain_tokens: appendOnlyTokens }: EpochMemory,
  { deadTokens, carried, rewrite }: Weighing,
  ended: Ended | undefined,
  entries: readonly ViewEntry[],
  { cut, cached }: { readonly cut: number; readonly cached: number },
): EpochFigures {
  const isSwept = ended !== undefined && ended.reason !== "outputs";
  return {
    number: epoch,
    calls,
    ...defined({ endedBy }),
    isNew: ended !== undefined,
    left,
    deadTokens: isSwept ? 0 : deadTokens,
    carried: isSwept ? 0 : carried,
    rewrite,
    promptTokens: rawTokens(entries),
    sharedTokens: rawTokens(entries, 0, cut),
    cachedTokens: rawTokens(entries, 0, cached),
    appendOnlyTokens,
  };
}

/**
 * Returns the dead parts that an end leaves where they are: those before the cut, if it ended for long outputs. Their calls
 * count from the first one of the new epoch.
 */
function stillDead(
  died: Readonly<Record<string, number>>,
  reason: EpochEnd,
  cut: number,
  calls: number,
): Readonly<Record<string, number>> {
  if (reason !== "outputs") return {};
  const kept = Object.entries(died).filter(([place]) => Number.parseInt(place, 10) < cut);
  return Object.fromEntries(kept.map(([place, call]) => [place, call - calls]));
}

/** Returns the view with everything that is new, before anything leaves. */
function grow(
  context: PlanningContext,
  kept: Kept,
  last: ViewRecord | undefined,
  memory: EpochMemory,
): Grown {
  const isFirst = kept.until === undefined;
  const bound = boundTo(context);
  const isTrusted =
    kept.isWhole &&
    context.epochs.changedFrom === undefined &&
    context.epochs.forgottenFrom === undefined &&
    memory.bound_to === bound;
  const sent = kept.entries.length;
  const made = withNewMessages(context, kept, isTrusted);
  // A view that is made again can begin like the last one.
  const isAgain = last !== undefined && isFirst && kept.end !== "compaction";
  const changed = kept.isWhole ? made.length : kept.cut;
  const firstChanged = isAgain ? firstOther(last.entries, made) : changed;
  const chat = isAgain
    ? [...last.entries.slice(0, firstChanged), ...made.slice(firstChanged)]
    : made;
  const before = {
    isFirst,
    isTurnStart: made.slice(sent).some(({ type }) => type === "user"),
    scarce: isFirst ? undefined : memory.scarce,
    redrawn: [],
  };
  const entries = appended(context, chat, before);
  const unsentFrom = firstUnsent(entries);
  const sentEntries = last?.entries ?? [];
  const cachedBefore = (cut: number): number => cachedEntries(context, memory, sentEntries, cut);
  return { chat, entries, before, firstChanged, unsentFrom, sent, boundTo: bound, cachedBefore };
}

/**
 * Decides which parts leave when an epoch ends. If it ends for long outputs, only their middles leave, from the index
 * `middles` on. Otherwise those leave first that nobody used; if deactivated content leaves at once, only the dead ones.
 * If the budget demands it, the oldest of the other contents leave that were sent before and are not pinned, as many as
 * are needed to leave room for the calls that follow. If that is not enough, messages and new contents leave in the order
 * of decision D54.
 */
function end(
  context: PlanningContext,
  grown: Grown,
  canLeave: readonly Removable[],
  given: EpochEnd,
  middles = grown.chat.length,
): Ended {
  const onlyMiddles = given === "outputs";
  const onlyDead = context.settings.deactivate === "immediate" && given === "carried";
  const unused = onlyMiddles
    ? []
    : canLeave.filter(({ stays, isDead }) => (onlyDead ? isDead : !stays));
  const firstChanged = onlyMiddles ? Math.min(middles, grown.firstChanged) : grown.firstChanged;
  const swept = without(context, { ...grown, firstChanged }, unused);
  if (onlyMiddles)
    return {
      entries: swept.entries,
      reason: given,
      removed: foldedResults(grown, swept.entries),
    };
  const reason = context.total(swept.entries) > context.budget ? "budget" : given;
  if (reason !== "budget" || leavesRoom(context, swept.entries))
    return {
      entries: swept.entries,
      reason,
      removed: removedFrom(grown, swept.entries, unused),
    };
  const earlier = earlierContents(context, grown, canLeave, unused);
  const leavingWith = (count: number): readonly Removable[] =>
    [...unused, ...earlier.slice(0, count).flat()].toSorted(
      (one, other) => one.index - other.index,
    );
  const withoutOldest = (count: number): readonly ViewEntry[] =>
    without(context, grown, leavingWith(count)).entries;
  const all = withoutOldest(earlier.length);
  const isShort = !leavesRoom(context, all);
  // If turns leave, there can be room again for earlier contents, but not for those that nobody used.
  const activated = grown.entries.slice(grown.unsentFrom).filter(({ type }) => type === "object");
  const count = isShort
    ? earlier.length
    : fewest(earlier.length, (some) => leavesRoom(context, withoutOldest(some)));
  const entries = isShort
    ? shortened(swept.context, all, handlesShown(activated))
    : withoutOldest(count);
  const removed = removedFrom(grown, entries, leavingWith(count));
  return { entries, reason, removed, isShort, scarce: scarceObjects(context, entries) };
}

/** Whether a view leaves so much of the budget free that the next calls do not exceed it. */
function leavesRoom(context: PlanningContext, entries: readonly ViewEntry[]): boolean {
  return context.total(entries) <= context.budget * filledShare;
}

/** Returns the smallest number that is enough, from 1 to `all`, which is. */
function fewest(all: number, isEnough: (count: number) => boolean): number {
  let [low, high] = [1, all];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

/**
 * Returns the parts that the model has got and that are not pinned, without those that leave anyway. All parts of an
 * object leave together, in the order of their last place in the view.
 */
function earlierContents(
  context: PlanningContext,
  { entries, unsentFrom }: Grown,
  canLeave: readonly Removable[],
  unused: readonly Removable[],
): readonly (readonly Removable[])[] {
  const last = new Map<UseKey, number>();
  for (const { keys, index } of canLeave) for (const key of keys) last.set(key, index);
  for (const [index, entry] of entries.entries())
    for (const { of } of entry.type === "user" ? contentParts(entry) : partsOf(entry))
      last.set(of, index);
  const gone = new Set(unused);
  const earlier = canLeave.filter(
    (one) =>
      !gone.has(one) && one.index < unsentFrom && !one.keys.some((key) => context.isPinned(key)),
  );
  const groups = Map.groupBy(earlier, ({ keys, index }) =>
    Math.max(index, ...keys.map((key) => last.get(key) ?? index)),
  );
  return [...groups].toSorted(([one], [other]) => one - other).map(([, group]) => group);
}

/**
 * Returns the view without some parts, and the context in which their objects are not active. Whatever is behind the first
 * of them is drawn again.
 */
function without(
  context: PlanningContext,
  { chat, entries, before, firstChanged, unsentFrom }: Grown,
  leaving: readonly Removable[],
): { readonly entries: readonly ViewEntry[]; readonly context: PlanningContext } {
  const cut = Math.min(firstChanged, leaving[0]?.index ?? chat.length);
  if (cut >= chat.length) return { entries, context };
  const drawn = redraw(context, chat, { cut, leaving, unsentFrom, isEnd: true });
  const begun = begunByUser(context, drawn);
  const left = new Set(leaving.map(({ index }) => index));
  const staying = handlesShown([...begun, ...entries.filter((_, index) => !left.has(index))]);
  const gone = [
    ...leaving.flatMap(({ keys }) => keys).filter((key) => !staying.has(key)),
    ...foldedOnly(context, [...begun, ...entries.slice(chat.length)]),
  ];
  const others = withoutObjects(context, new Set(gone));
  const redrawn = chat.slice(cut);
  return { entries: appended(others, begun, { ...before, redrawn }), context: others };
}

/**
 * Returns the keys of the parts that left, of the objects whose content is no longer in view, and of the short results that
 * were folded.
 */
function removedFrom(
  grown: Grown,
  now: readonly ViewEntry[],
  leaving: readonly Removable[],
): readonly UseKey[] {
  const kept = new Set(contentsIn(now));
  const gone = contentsIn(grown.entries).filter((of) => !kept.has(of));
  const folded = foldedResults(grown, now);
  return [...new Set([...leaving.flatMap(({ keys }) => keys), ...gone, ...folded])];
}

/** Returns the results in their original form that are in a fold now. */
function foldedResults({ entries }: Grown, now: readonly ViewEntry[]): readonly UseKey[] {
  const folded = new Set(
    now.flatMap((entry) =>
      entry.type === "assistant" && entry.fold !== undefined
        ? entry.fold.steps.map((step) => `${entry.turn}.${step}`)
        : [],
    ),
  );
  return entries.flatMap((entry) => {
    const isBare = entry.type === "result" && entry.form === "bare" && entry.of !== undefined;
    return isBare && folded.has(`${entry.turn}.${entry.step}`) ? [entry.of] : [];
  });
}

function contentsIn(entries: readonly ViewEntry[]): readonly UseKey[] {
  return entries.flatMap((entry) => contentParts(entry).map(({ of }) => of));
}

/** Returns the contents and arguments that left the view because a new summary replaces their messages. */
function summarized(
  context: PlanningContext,
  last: ViewRecord | undefined,
  { entries, removed }: Ended,
): readonly UseKey[] {
  const compaction = compactionName(context.input);
  if (last === undefined || compaction === undefined) return [];
  if (epochMemory(last).compaction === compaction) return [];
  const others = new Set([...keysShown(context, entries), ...removed]);
  return [...new Set(keysShown(context, last.entries))].filter((key) => !others.has(key));
}

function keysShown(context: PlanningContext, entries: readonly ViewEntry[]): readonly UseKey[] {
  return entries.flatMap((entry) =>
    entry.type === "assistant"
      ? argumentsInView(context, entry).map(({ key }) => key)
      : [...handlesShown([entry])],
  );
}

/**
 * Returns the objects that the view still lacks space for. Deactivated objects are not among them: they are active again
 * only if they are requested again.
 */
function stillScarce(
  context: PlanningContext,
  scarce: readonly UseKey[] = [],
  deactivated: readonly ObjectId[],
): readonly UseKey[] | undefined {
  const lacks = scarce.filter((handle) => {
    const object = context.active.get(handle);
    return object !== undefined && !deactivated.includes(object.entry.id);
  });
  return lacks.length === 0 ? undefined : lacks;
}

/** Returns the active objects that are not pinned and have no content in view after an epoch's end. */
function inactive(context: PlanningContext, entries: readonly ViewEntry[]): readonly ObjectId[] {
  const inView = handlesShown(entries);
  return context.input.active
    .filter(({ entry, isPinned }) => !isPinned && !inView.has(entry.handle))
    .map(({ entry }) => entry.id);
}
