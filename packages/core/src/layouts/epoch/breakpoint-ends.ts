import { contentParts, type ViewEntry } from "../../view/view-entry.ts";
import { argumentsInView } from "./large-arguments.ts";
import { referenceTokens } from "./leaving.ts";
import type { PlanningContext } from "./planning-context.ts";

/**
 * Returns the ends of prompts that are worth a cache breakpoint, as indexes of entries in order. They are: the end of
 * the last prompt before anything that can leave, because it is still unchanged when the next epoch begins; the end of
 * the last prompt sent; and the end of this prompt. If the view was cut, the end of the last prompt no longer exists.
 * Then the first kind of end is used, of the view before the cut, because the cache can still be read up to there.
 */
export function breakpointEnds(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  before: readonly ViewEntry[],
  cut: number,
): readonly number[] {
  const isCut = cut < before.length;
  const end = entries.length - 1;
  const kept = isCut ? stableEnd(context, before, cut) : endBefore(entries, entries.length);
  const found = [kept, stableEnd(context, entries, entries.length), end];
  const known = found.filter((index): index is number => index !== undefined && index >= 0);
  return [...new Set(known)].toSorted((left, right) => left - right);
}

/** Returns the last end of a prompt before anything that can leave, and before `limit`. */
function stableEnd(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  limit: number,
): number | undefined {
  const first = entries.findIndex((entry) => canLeave(context, entry));
  return endBefore(entries, first === -1 ? limit : Math.min(first, limit));
}

/**
 * Whether an entry can leave. A pinned object can be unpinned later, but until then a breakpoint after it loses
 * nothing.
 */
function canLeave(context: PlanningContext, entry: ViewEntry): boolean {
  if (entry.type === "assistant") return argumentsInView(context, entry).length > 0;
  const parts = contentParts(entry);
  if (parts.length === 0 || entry.tokens <= referenceTokens) return false;
  return !parts.some(({ of }) => context.isPinned(of));
}

/** Returns the index of the last message before an answer, before this place. */
function endBefore(entries: readonly ViewEntry[], limit: number): number | undefined {
  for (let index = Math.min(limit, entries.length - 1); index > 0; index -= 1) {
    if (entries[index]?.type === "assistant" && entries[index - 1]?.type !== "assistant")
      return index - 1;
  }
  return undefined;
}
