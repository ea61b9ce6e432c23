import { continued } from "@self-context-manager/objects";
import type { UseKey } from "../../policy/activation-policy.ts";
import { shownParts } from "../../view/shown-parts.ts";
import {
  contentParts,
  handlesShown,
  type ObjectEntry,
  type ViewEntry,
} from "../../view/view-entry.ts";
import {
  corrections,
  linkedLines,
  loadedLines,
  namedAgain,
  pinnedNotice,
} from "./appended-lines.ts";
import type { PlanningContext } from "./planning-context.ts";
import { missingObjects } from "./wanted-parts.ts";

/** What is known of the last view when entries are appended. */
export interface Before {
  /** Whether nothing of it is kept. */
  readonly isFirst: boolean;
  /** Whether the user has written since. */
  readonly isTurnStart: boolean;
  /** The objects of which an earlier budget did not allow to show more. */
  readonly scarce: readonly UseKey[] | undefined;
  /** The entries that were drawn again behind the cut, as they were before. */
  readonly redrawn: readonly ViewEntry[];
}

/**
 * Appends to the messages of the chat what they do not show: active objects in their newest version, lines for objects
 * that the view must name or describes wrongly, and notices.
 */
export function appended(
  context: PlanningContext,
  chat: readonly ViewEntry[],
  { isFirst, isTurnStart, scarce, redrawn }: Before,
): readonly ViewEntry[] {
  let entries = chat;
  // Nearly always nothing is added, and the list stays the same.
  const add = (more: readonly ViewEntry[]): void => {
    if (more.length > 0) entries = continued(entries, more);
  };
  const still = stillScarce(chat, scarce, redrawn);
  add(missingObjects(context, shownParts(chat, still)));
  add(namedAgain(context, entries, redrawn));
  add(loadedLines(context, entries));
  add(linkedLines(context, entries));
  if (!isFirst) add(corrections(context, entries));
  add((context.input.notes ?? []).map((text) => context.notice(text)));
  const pinned = pinnedNotice(context, entries);
  if (pinned !== undefined) add([pinned]);
  if (!isFirst && isTurnStart) add(pinnedAgain(context, entries, scarce));
  return entries;
}

/** Returns the scarce objects without those whose content is not drawn again, because it was of a former version. */
function stillScarce(
  chat: readonly ViewEntry[],
  scarce: readonly UseKey[] = [],
  redrawn: readonly ViewEntry[],
): readonly UseKey[] {
  if (scarce.length === 0) return scarce;
  const shown = handlesShown(chat);
  const before = handlesShown(redrawn);
  return scarce.filter((of) => shown.has(of) || !before.has(of));
}

/**
 * Returns entries that show pinned contents whole at the first call of a turn, if an earlier budget did not allow that
 * and they fit beside this turn. Older turns may then leave for them. `scarce`: the objects of which the budget did not
 * allow to show more.
 */
function pinnedAgain(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  scarce: readonly UseKey[] = [],
): readonly ObjectEntry[] {
  const again = new Set(scarce.filter((of) => context.isPinned(of)));
  if (again.size === 0) return [];
  const parts = shownParts(
    entries,
    scarce.filter((of) => !again.has(of)),
  );
  const missing = missingObjects(context, parts);
  const others = entries.filter((entry) =>
    contentParts(entry).some(({ of }) => context.isPinned(of) && !again.has(of)),
  );
  const turn = entries.slice(entries.findLastIndex(({ type }) => type === "user"));
  const fits = context.total([...new Set([...others, ...turn, ...missing])]) <= context.budget;
  return fits ? missing : [];
}
