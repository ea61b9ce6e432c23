import { contentParts, type ViewEntry } from "../../view/view-entry.ts";
import { argumentsInView } from "./large-arguments.ts";
import type { PlanningContext } from "./planning-context.ts";
import { referenceTokens } from "./sweep.ts";

/**
 * Ends of prompts, as indexes of entries, that are worth a provider's breakpoint, in order: the last one before
 * anything that can leave, which still stands when the next epoch begins; where the former prompt ended; and this one's
 * end. Where the view was cut, the first such end of the view before is what can be read, in the place of the former
 * end, which is gone.
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

/** The last end of a prompt before anything that can leave, and before `limit`. */
function stableEnd(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  limit: number,
): number | undefined {
  const first = entries.findIndex((entry) => canLeave(context, entry));
  return endBefore(entries, first === -1 ? limit : Math.min(first, limit));
}

/** What is pinned may become unpinned; until then nothing is lost by counting on it. */
function canLeave(context: PlanningContext, entry: ViewEntry): boolean {
  if (entry.type === "assistant") return argumentsInView(context, entry).length > 0;
  const parts = contentParts(entry);
  if (parts.length === 0 || entry.tokens <= referenceTokens) return false;
  return !parts.some(({ of }) => context.active.get(of)?.isPinned === true);
}

/** The last message before an answer that stands before this place. */
function endBefore(entries: readonly ViewEntry[], limit: number): number | undefined {
  for (let index = Math.min(limit, entries.length - 1); index > 0; index -= 1) {
    if (entries[index]?.type === "assistant" && entries[index - 1]?.type !== "assistant")
      return index - 1;
  }
  return undefined;
}
