import { omissionNotices } from "../../lines/notices.ts";
import { contentParts, type ViewEntry } from "../../view/view-entry.ts";
import { firstChange } from "./bound-thinking.ts";
import { contentRanks, tokensAhead, withoutContent } from "./content-order.ts";
import { entriesByStep, holdsFiles, omissionNotice } from "./least-view.ts";
import type { PlanningContext } from "./planning-context.ts";
import { repairReferences } from "./repair-references.ts";
import { shownParts } from "./shown-parts.ts";
import { leavingTexts } from "./user-entries.ts";
import { tokensOf, total } from "./view-tokens.ts";
import { missingObjects } from "./wanted-parts.ts";

/**
 * Share of the budget that remains filled after the budget ended an epoch, so that the next call does not end another.
 */
const share = 0.75;

/** Share of the budget that messages without contents may fill before some of them leave. */
const fullest = 0.9;

/** Usual tokens of a content's line. */
const lineTokens = 24;

/** The room of a view for its turns. */
export interface TurnRoom {
  readonly budget: number;
  /** Tokens of the budget that must stay free. */
  readonly spare: number;
  /** The objects that were activated since the last view and that no result shows. */
  readonly activated: ReadonlySet<string>;
}

/**
 * Returns a view without its oldest turns, if the messages alone are too large or leave no room for the contents that
 * go before older turns. If the messages of the last turn alone are too large, its oldest steps leave too. Objects
 * whose content left with a turn are shown at the end.
 */
export function withoutOldTurns(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  { budget, spare, activated }: TurnRoom,
): readonly ViewEntry[] {
  const isTooLong = (made: readonly ViewEntry[]): boolean =>
    tokensAhead(context, made, activated) > budget - spare;
  const prose = proseTokens(context, entries);
  const isProseLong = prose > budget * fullest;
  if (!isProseLong && !isTooLong(entries)) return entries;
  // What stays in any case takes no room from the newest turns.
  const files = entries.filter((entry) => holdsFiles(context, entry));
  const most = (room: number): number => room * share + (1 - share) * total(context, files);
  const ahead = tokensBesideLines(context, entries, activated);
  const starts = entries.flatMap((entry, index) => (entry.type === "user" ? [index] : []));
  const target = most(Math.max(0, budget - spare - ahead));
  const made = (first: number): readonly ViewEntry[] => {
    const isLast = first === (starts.at(-1) ?? 0);
    return beginningAt(context, entries, first, isProseLong && isLast ? most(budget) : undefined);
  };
  let first = 0;
  let left = prose;
  let shorter: readonly ViewEntry[] | undefined;
  for (const start of starts) {
    if (left <= target) {
      shorter = made(first);
      if (!isTooLong(shorter)) return shorter;
    }
    left -= proseTokens(
      context,
      entries.slice(first, start).filter((entry) => !holdsFiles(context, entry)),
    );
    first = start;
    shorter = undefined;
  }
  return shorter ?? made(first);
}

/** Returns the tokens of entries whose contents are not shown. */
function proseTokens(context: PlanningContext, entries: readonly ViewEntry[]): number {
  return entries.reduce((sum, entry) => sum + lineTokensOf(context, entry), 0);
}

function lineTokensOf(context: PlanningContext, entry: ViewEntry): number {
  if (entry.type === "user" && leavingTexts(context, entry).length > 0)
    return tokensOf(context, withoutContent(context, entry));
  const isProse = entry.type === "user" || contentParts(entry).length === 0;
  return isProse ? tokensOf(context, entry) : lineTokens;
}

/** Returns the tokens that the contents which go before older turns have in addition to their lines. */
function tokensBesideLines(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  activated: ReadonlySet<string>,
): number {
  const ranks = contentRanks(context, entries, activated);
  const ahead = entries.filter((_, index) => (ranks[index] ?? 2) < 2);
  return Math.max(0, total(context, ahead) - proseTokens(context, ahead));
}

/**
 * Returns the view from one of its turns on. The user's messages with files stay, and one line replaces the others.
 * `mostProse`: the tokens to which steps of the turn are reduced; undefined if all of them stay.
 */
function beginningAt(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  first: number,
  mostProse: number | undefined,
): readonly ViewEntry[] {
  const held = entries.slice(0, first).filter((entry) => holdsFiles(context, entry));
  const notices: ViewEntry[] = [];
  const user = entries[first];
  if (first > 0 && user?.type === "user" && user.turn > 0)
    notices.push(
      omissionNotice(context, (chat) => omissionNotices.turns.write(1, user.turn, chat)),
    );
  const rest = entries.slice(first);
  const kept =
    mostProse === undefined
      ? rest
      : withoutOldSteps(context, rest, mostProse - proseTokens(context, held));
  const shorter = [...notices, ...held, ...kept];
  if (shorter.length === entries.length && firstChange(entries, shorter) === entries.length)
    return entries;
  if (shorter[0]?.type === "assistant" || shorter[0]?.type === "result")
    shorter.unshift(omissionNotice(context, omissionNotices.earlier.write));
  const repaired = repairReferences(context, shorter, firstChange(entries, shorter), () => false);
  return [...repaired, ...missingObjects(context, shownParts(repaired))];
}

function withoutOldSteps(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  most: number,
): readonly ViewEntry[] {
  let prose = proseTokens(context, entries);
  if (prose <= most) return entries;
  const head = entries[0]?.type === "user" ? entries.slice(0, 1) : [];
  const groups = entriesByStep(entries.slice(head.length));
  let gone = 0;
  while (gone < groups.length - 1 && prose > most) {
    prose -= proseTokens(context, groups[gone] ?? []);
    gone += 1;
  }
  const line =
    gone === 0 ? [] : [omissionNotice(context, (chat) => omissionNotices.steps.write(gone, chat))];
  return [...head, ...line, ...groups.slice(gone).flat()];
}
