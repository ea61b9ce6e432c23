import { contentParts, type ObjectEntry, type ViewEntry } from "../../view/view-entry.ts";
import { sized } from "./entry-messages.ts";
import type { PlanningContext } from "./planning-context.ts";
import { referenceOf } from "./sweep.ts";
import { withoutTexts } from "./user-entries.ts";
import { tokensOf } from "./view-tokens.ts";

/** The place of a content in the order of D54: 0 for a pinned one, 1 for one that was just activated, 2 for others. */
export type ContentRank = 0 | 1 | 2;

/**
 * Returns the rank of each entry with content; undefined for other entries. Contents that were just activated are the
 * results of the newest answer and, behind it, those of the objects in `activated`.
 */
export function contentRanks(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  activated: ReadonlySet<string>,
): readonly (ContentRank | undefined)[] {
  const unsentFrom = entries.findLastIndex(({ type }) => type === "assistant") + 1;
  return entries.map((entry, index) => {
    const parts = contentParts(entry);
    if (parts.length === 0 || isNewestUser(context, entry)) return undefined;
    if (parts.some(({ of }) => context.active.get(of)?.isPinned === true)) return 0;
    const isNew = entry.type === "result" || parts.some(({ of }) => activated.has(of));
    return index >= unsentFrom && isNew ? 1 : 2;
  });
}

/** Returns the tokens of a view that shows, of all contents, only those that go before older turns. */
export function tokensAhead(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  activated: ReadonlySet<string>,
): number {
  const ranks = contentRanks(context, entries, activated);
  return entries.reduce((sum, entry, index) => {
    const shown = ranks[index] === 2 ? withoutContent(context, entry) : entry;
    return sum + tokensOf(context, shown);
  }, 0);
}

function isNewestUser({ newestUser }: PlanningContext, entry: ViewEntry): boolean {
  return entry.type === "user" && entry.turn === newestUser;
}

/** Returns an entry with the lines of its objects instead of their contents, or with the ends of long texts of the user. */
export function withoutContent(context: PlanningContext, entry: ViewEntry): ViewEntry {
  if (entry.type === "user") return withoutTexts(context, entry);
  if (entry.type === "result") return referenceOf(context, entry);
  if (entry.type !== "object") return entry;
  const shows = entry.shows.map(({ of, version }) => ({ of, version, form: "line" as const }));
  return sized<ObjectEntry>({ type: "object", shows }, context.source);
}
