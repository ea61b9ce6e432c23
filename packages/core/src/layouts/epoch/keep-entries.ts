import { defined } from "@self-context-manager/objects";
import { fileReferences } from "../../calls/toolcall-object.ts";
import type { EpochEnd } from "../../view/layout.ts";
import { leftOutOf, placesOf } from "../../view/left-out-rows.ts";
import { firstMarked } from "../../view/entry-groups.ts";
import { contentParts, type ShownPart, type ViewEntry } from "../../view/view-entry.ts";
import type { ViewRecord } from "../../view/view-record.ts";
import { boundTo, showsThinking } from "./bound-thinking.ts";
import { compactionName, type EpochMemory } from "./epoch-memory.ts";
import { lacksNewestThinking } from "./free-texts.ts";
import type { PlanningContext } from "./planning-context.ts";
import { redraw } from "./redraw.ts";
import { lacksNewestParts } from "./user-entries.ts";

/** The entries that the next view begins with. */
export interface Kept {
  /** The entries of the last view, drawn again from the cut on; none if there was none, or if a new view is made. */
  readonly entries: readonly ViewEntry[];
  /** Index of the first entry that differs from the last view. */
  readonly cut: number;
  /** Whether they are the whole last view, unchanged. */
  readonly isWhole: boolean;
  /** The size of the chat that they represent; undefined for a new view. */
  readonly until?: { readonly turns: number; readonly steps: number };
  /** Why the epoch ends, whatever is added to them. */
  readonly end?: EpochEnd;
}

/** Returns what the next view begins with: the last view, as far as it is still true. */
export function keepEntries(
  context: PlanningContext,
  last: ViewRecord | undefined,
  memory: EpochMemory,
): Kept {
  const nothing = { entries: [], cut: 0, isWhole: false };
  if (last === undefined) return nothing;
  const replaced = replacement(context, last, memory);
  if (replaced !== undefined) return { ...nothing, end: replaced };
  const { entries, turns, steps } = withinChat(context, last);
  const late = firstMarked(entries, "waiting", (entry) => isLate(context, entry));
  const refused = refusedFrom(context, entries, memory);
  const { from: other, isWithheld } = leftOutNow(context, entries, memory);
  const { forgottenFrom: forgotten = -1 } = context.epochs;
  const changed = [late, refused, other, forgotten];
  const cut = Math.min(entries.length, ...changed.filter((at) => at !== -1));
  const isRefused = refused !== -1 && memory.bound_to !== boundTo(context);
  let end: EpochEnd | undefined = isRefused ? "thinking" : undefined;
  if (late !== -1) end = "late-result";
  if (forgotten !== -1) end = "forgotten";
  return {
    entries: redraw(context, entries, { cut, isWithheld }),
    cut,
    isWhole: cut === last.entries.length,
    until: { turns, steps },
    ...defined({ end }),
  };
}

/** Returns why a new view is made, although the chat has the messages of the last one; undefined if none is. */
function replacement(
  context: PlanningContext,
  last: ViewRecord,
  memory: EpochMemory,
): EpochEnd | undefined {
  if (memory.compaction !== compactionName(context.input)) return "compaction";
  if (lacksNewestUser(context, last)) return "budget";
  const before = leftOutOf(memory.left_out ?? []);
  const hasReturned = placesOf(context.input.turns, before).some(
    (place) => !context.leftOut.has(place),
  );
  if (hasReturned || hasFoldOfLeftOut(context, last)) return "returned";
  if ((context.epochs.unfolded ?? []).join() !== (memory.unfolded ?? []).join()) return "unfolded";
  return hasMoreRoom(context, last, memory) ? "budget" : undefined;
}

/**
 * Whether a message that the view leaves out is in a fold, or has one. Its fold cannot be shown then, so the other messages
 * of the fold are shown again.
 */
function hasFoldOfLeftOut(
  { leftOut, answerAt }: Pick<PlanningContext, "leftOut" | "answerAt">,
  { entries }: ViewRecord,
): boolean {
  if (leftOut.rows.length === 0) return false;
  return entries.some((entry) => {
    if (entry.type !== "assistant" || entry.fold === undefined) return false;
    const { turn, step, fold } = entry;
    const hasLeft = (one: number): boolean =>
      leftOut.has({ turn, step: one }) ||
      (answerAt({ turn, step: one })?.toolcall_ids ?? []).some((_, call) =>
        leftOut.has({ turn, step: one, call }),
      );
    return leftOut.has({ turn, step }) || fold.steps.some(hasLeft);
  });
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
  { entries }: ViewRecord,
  { short_for: short }: EpochMemory,
): boolean {
  const { turns } = context.input;
  if (lacksNewestParts(context, entries) || lacksNewestThinking(context, entries)) return true;
  if (short === undefined) return false;
  if (context.budget >= short * moreRoom) return true;
  const user = entries.findLast((entry) => entry.type === "user");
  if (user?.head === undefined || turns[user.turn] === undefined) return false;
  const whole = context.sized({ type: "user", turn: user.turn });
  return context.total([whole]) <= context.budget;
}

/** Whether the user went back to a message that had left the view. */
function lacksNewestUser(context: PlanningContext, last: ViewRecord): boolean {
  const { input, newestUser } = context;
  const { turns, compaction } = input;
  const { turn, step } = compaction?.from ?? { turn: 0, step: -1 };
  const isInChat = newestUser > turn || (newestUser === turn && step === -1);
  if (!isInChat || last.turns <= turns.length) return false;
  return !last.entries.some((entry) => context.isNewestUser(entry));
}

/**
 * Returns the part of a record before the point to which the user went back. If a fold behind it stands for steps before
 * it, these are shown again, so the record ends before the first of them.
 */
function withinChat({ input }: PlanningContext, last: ViewRecord): ViewRecord {
  const turns = input.turns.length;
  const steps = input.turns.at(-1)?.steps.length ?? 0;
  if (last.turns < turns || (last.turns === turns && last.steps <= steps)) return last;
  const folded = last.entries.flatMap((entry) =>
    entry.type === "assistant" && entry.turn === turns - 1 && entry.step >= steps
      ? (entry.fold?.steps ?? [])
      : [],
  );
  const end = Math.min(steps, ...folded);
  const cut = last.entries.findIndex(
    (entry) =>
      "turn" in entry &&
      (entry.turn >= turns || ("step" in entry && entry.turn === turns - 1 && entry.step >= end)),
  );
  const entries = cut === -1 ? last.entries : last.entries.slice(0, cut);
  return { ...last, entries, turns, steps: end };
}

/** Whether the result of a call has arrived after the call was shown without one. */
function isLate(context: PlanningContext, entry: ViewEntry): boolean {
  if (entry.type !== "result" || entry.of !== undefined) return false;
  return context.resultAt(entry) !== undefined && !context.leftOut.has(entry);
}

/**
 * Returns the index of the first thinking that the model does not accept, or -1: it is from another model or behind
 * another head, or was made behind messages that others had added and that have changed.
 */
function refusedFrom(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  memory: EpochMemory,
): number {
  const bound = boundTo(context);
  if (bound === undefined) return -1;
  const { changedFrom = Infinity, forgottenFrom = Infinity } = context.epochs;
  const from = memory.bound_to === bound ? Math.min(changedFrom, forgottenFrom) : 0;
  const signed = context.signedIn(entries);
  const found = signed.find((index) => {
    const entry = entries[index] as ViewEntry;
    return index >= from && showsThinking(context, entry) && !context.leftOut.has(entry);
  });
  return found ?? -1;
}

/**
 * Returns what is not shown because other messages are left out than in the last view: the index of the first such entry,
 * or -1, and whether a content outside results came only from these messages.
 */
function leftOutNow(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  memory: EpochMemory,
): { readonly from: number; readonly isWithheld: (part: ShownPart) => boolean } {
  const { active, input, leftOut } = context;
  if ((input.leftOut ?? []).join() === (memory.left_out ?? []).join())
    return { from: -1, isWithheld: () => false };
  const held = heldByNewlyLeftOut(context, memory);
  const isActive = ({ of, version, form, from = 1, to = from }: ShownPart): boolean => {
    const object = active.get(of);
    if (object?.ranges === undefined) return object !== undefined;
    if (form !== "lines" || object.stored.version !== version) return false;
    return object.ranges.some((range) => range.from <= from && to <= range.to);
  };
  const isWithheld = (part: ShownPart): boolean => held.has(part.of) && !isActive(part);
  const from = entries.findIndex((entry) => {
    if (entry.type === "object") return contentParts(entry).some(isWithheld);
    if (entry.type === "user") return leftOut.has({ turn: entry.turn, step: -1 });
    if (!("step" in entry)) return false;
    if (leftOut.has({ turn: entry.turn, step: entry.step })) return true;
    return entry.type === "result" && entry.of !== undefined && leftOut.has(entry);
  });
  return { from, isWithheld };
}

/**
 * Returns the handles of the objects of messages that the last view did not leave out: the calls, and the files that they
 * read, wrote or named. Their messages may have left the view before.
 */
function heldByNewlyLeftOut(context: PlanningContext, memory: EpochMemory): ReadonlySet<string> {
  const { turns, pool } = context.input;
  const before = leftOutOf(memory.left_out ?? []);
  const places = placesOf(turns, context.leftOut).filter((place) => !before.has(place));
  const ids = places.flatMap(({ turn, step, call }) => {
    if (step === -1) return (turns[turn]?.user_objects ?? []).map(({ id }) => id);
    const calls = context.answerAt({ turn, step })?.toolcall_ids ?? [];
    const left = call === undefined ? calls : calls.slice(call, call + 1);
    return left.flatMap((id) => [
      id,
      ...fileReferences(pool.get(id)?.stored.body).map((file) => file.id),
    ]);
  });
  return new Set(ids.flatMap((id) => pool.get(id)?.handle ?? []));
}
