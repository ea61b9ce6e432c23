import type { UseKey } from "../../policy/activation-policy.ts";
import { contentParts, type ObjectEntry, type ViewEntry } from "../../view/view-entry.ts";
import type { PlanningContext } from "./planning-context.ts";
import { shownParts } from "./shown-parts.ts";
import { total } from "./view-tokens.ts";
import { missingObjects } from "./wanted-parts.ts";

/**
 * Returns entries that show pinned contents whole at the first call of a turn, if an earlier budget did not allow that
 * and they fit beside this turn. Older turns may then leave for them. `sent`: the number of entries that were sent
 * before. `scarce`: the objects of which the budget did not allow to show more.
 */
export function pinnedAgain(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  sent: number,
  scarce: readonly UseKey[] = [],
): readonly ObjectEntry[] {
  const isPinned = (handle: string): boolean => context.active.get(handle)?.isPinned === true;
  const again = new Set(scarce.filter(isPinned));
  const isTurnStart = entries.slice(sent).some(({ type }) => type === "user");
  if (again.size === 0 || !isTurnStart) return [];
  const parts = shownParts(
    entries,
    scarce.filter((of) => !again.has(of)),
  );
  const missing = missingObjects(context, parts);
  const others = entries.filter((entry) =>
    contentParts(entry).some(({ of }) => isPinned(of) && !again.has(of)),
  );
  const turn = entries.slice(entries.findLastIndex(({ type }) => type === "user"));
  const { budget = Number.POSITIVE_INFINITY } = context.input;
  const fits = total(context, [...new Set([...others, ...turn, ...missing])]) <= budget;
  return fits ? missing : [];
}
