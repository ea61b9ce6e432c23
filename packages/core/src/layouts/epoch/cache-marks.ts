import { rawTokens } from "../../view/entry-groups.ts";
import type { ViewEntry } from "../../view/view-entry.ts";
import type { EpochMemory } from "./epoch-memory.ts";
import type { Removable } from "./leaving.ts";
import type { PlanningContext } from "./planning-context.ts";

/** How many blocks before a breakpoint a provider looks for an earlier cache entry (Anthropic's rule). */
const lookback = 20;

/** The number of new blocks up to which it surely finds the last end: hosts can make two blocks of one. */
const surelyFound = 16;

/** Tokens from which on a further breakpoint is worth its place: the shortest prefix that a provider caches. */
const leastApart = 512;

/** The most messages of a view that get a breakpoint; the system prompt has a further one. */
const mostMarks = 3;

/**
 * Returns how many entries at the start of the last view the provider can read from its cache, if those before `cut` are
 * unchanged. Where breakpoints are needed, the cache has only what ended at one: at those of the last request, or at the
 * end of a prompt that was sent so recently that its cache entry is alive.
 */
export function cachedEntries(
  context: PlanningContext,
  { marks = [], first_end: firstEnd = 0 }: EpochMemory,
  entries: readonly ViewEntry[],
  cut: number,
): number {
  const { cache, epochs } = context;
  const same = Math.min(cut, entries.length, epochs.changedFrom ?? cut);
  if (cache.isCold) return 0;
  if (cache.rewrites === "what-follows") return same;
  const isHosts = cache.rewrites === "everything";
  const end = endBefore(entries, same);
  const isSent = end !== undefined && end + 1 >= firstEnd && isHeld(context, entries[end + 1]);
  const counts = (isHosts ? marks.slice(-1) : marks).map((mark) => mark + 1);
  const found = Math.max(isSent ? end + 1 : 0, ...counts.filter((count) => count <= same));
  return isHosts && hasMoreBlocks(context, entries, found, lookback) ? 0 : found;
}

/** Whether the prompt that an answer belongs to was sent so recently that its cache entry is alive. */
function isHeld(context: PlanningContext, entry: ViewEntry | undefined): boolean {
  const { heldFrom = Number.NEGATIVE_INFINITY } = context.cache;
  if (heldFrom === Number.NEGATIVE_INFINITY) return true;
  const time =
    entry?.type === "assistant" ? context.answerAt(entry)?.assistant_meta["timestamp"] : undefined;
  return typeof time === "number" && time >= heldFrom;
}

/** What a view begins with, and what can leave it. */
export interface Marked {
  readonly entries: readonly ViewEntry[];
  /** The number of entries that the provider reads from its cache. */
  readonly cached: number;
  /** Index of the first entry that differs from the last view. */
  readonly cut: number;
  /** The parts of these entries that can leave. */
  readonly found: readonly Removable[];
}

/**
 * Returns the ends of prompts that get a breakpoint, as indexes of entries in order. The end of this prompt gets one, and
 * the end up to which the cache is read, if the provider would not find it from there. The others are where the next cut is
 * expected: before what would leave now, or else where the last view expected it; and before what can leave at all.
 * Of two ends that are less than `leastApart` apart, the less important one gets none; the system prompt has one too.
 */
export function nextMarks(
  context: PlanningContext,
  { marks = [] }: EpochMemory,
  { entries, cached, cut, found }: Marked,
): readonly number[] {
  const chosen = [entries.length - 1];
  if (cached > 0 && hasMoreBlocks(context, entries, cached, surelyFound)) chosen.push(cached - 1);
  const leaving = found.find(({ stays }) => !stays)?.index;
  const behind = found.find(({ index }) => index >= cut)?.index ?? entries.length;
  const wanted = [
    leaving === undefined ? undefined : endBefore(entries, leaving),
    ...marks
      .slice(0, -1)
      .toReversed()
      .filter((mark) => mark < cut),
    endBefore(entries, behind),
    endBefore(entries, found[0]?.index ?? entries.length),
  ];
  for (const end of wanted) {
    if (chosen.length === mostMarks) break;
    if (end === undefined || chosen.includes(end)) continue;
    const isApart = [-1, ...chosen].every(
      (other) => tokensBetween(entries, end, other) >= leastApart,
    );
    if (isApart) chosen.push(end);
  }
  return chosen.filter((end) => end >= 0).toSorted((left, right) => left - right);
}

function tokensBetween(entries: readonly ViewEntry[], one: number, other: number): number {
  return rawTokens(entries, Math.min(one, other) + 1, Math.max(one, other) + 1);
}

/** Whether the entries from an index on have more than some blocks in a request. */
function hasMoreBlocks(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  from: number,
  most: number,
): boolean {
  let blocks = 0;
  for (let index = from; index < entries.length && blocks <= most; index += 1) {
    const entry = entries[index];
    const step = entry?.type === "assistant" ? context.answerAt(entry) : undefined;
    blocks += step?.assistant.length ?? 1;
  }
  return blocks > most;
}

/** Returns the index of the last message before an answer, before this place. */
function endBefore(entries: readonly ViewEntry[], limit: number): number | undefined {
  for (let index = Math.min(limit, entries.length - 1); index > 0; index -= 1) {
    if (entries[index]?.type === "assistant" && entries[index - 1]?.type !== "assistant")
      return index - 1;
  }
  return undefined;
}
