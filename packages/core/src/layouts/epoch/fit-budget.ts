import { defined, lineCount, linesOf } from "@self-context-manager/objects";
import type { UseKey } from "../../policy/activation-policy.ts";
import { endsOfTokens } from "../../render/head-and-tail.ts";
import {
  contentParts,
  type ObjectEntry,
  type ResultEntry,
  type ShownPart,
  type ViewEntry,
} from "../../view/view-entry.ts";
import { firstChange } from "./bound-thinking.ts";
import { contentRanks, withoutContent } from "./content-order.ts";
import { sized } from "./entry-messages.ts";
import { leastView } from "./least-view.ts";
import { withoutOldTurns } from "./old-turns.ts";
import type { PlanningContext } from "./planning-context.ts";
import { repairReferences } from "./repair-references.ts";
import { once, shownParts } from "./shown-parts.ts";
import { removables, sweep } from "./sweep.ts";
import { tokensOf, total } from "./view-tokens.ts";
import { wantedParts } from "./wanted-parts.ts";

/** Share of the budget up to which parts of contents fill it. */
const fullest = 0.9;

export interface FittedView {
  readonly entries: readonly ViewEntry[];
  readonly cut: number;
  readonly removed: readonly UseKey[];
  /** Whether whole messages had to leave the view, or the user message is shown in part. */
  readonly isShort: boolean;
  /** Active objects that are not shown as fully as requested. */
  readonly scarce: readonly UseKey[];
}

/**
 * Makes a view fit its budget. Earlier contents leave first. Then the oldest turns leave, until the other messages have
 * room, with pinned contents and those that were just activated. If the messages of the last turn are still too large,
 * its oldest steps leave. Then contents are shown in part, and at last the newest user message itself. `activated`: the
 * objects that were activated since the last view and that no result shows.
 */
export function fitBudget(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  activated: ReadonlySet<string>,
): FittedView {
  const budget = context.input.budget ?? Number.POSITIVE_INFINITY;
  const unsentFrom = entries.findLastIndex(({ type }) => type === "assistant") + 1;
  const leaving = removables(context, entries, unsentFrom).filter(({ keys }) =>
    keys.every((key) => context.active.get(key)?.isPinned !== true),
  );
  const earlier = leaving.filter(({ index }) => index < unsentFrom);
  const swept = sweep(context, entries, earlier, unsentFrom);
  const repaired = (made: readonly ViewEntry[]): readonly ViewEntry[] =>
    repairReferences(context, made, firstChange(entries, made), () => false);
  let fitted = repaired(swept.entries);
  const isShort = total(context, fitted) > budget;
  if (isShort) {
    fitted = fittedWith(context, budget, (spare) => {
      const shorter = withoutOldTurns(context, swept.entries, { budget, spare, activated });
      return repaired(contentsInPart(context, shorter, budget - spare, activated));
    });
  }
  if (total(context, fitted) > budget) {
    const longer = fitted;
    fitted = fittedWith(context, budget, (spare) =>
      repaired(leastView(context, longer, budget, spare)),
    );
  }
  const removed = [...new Set([...swept.removed, ...goneFrom(entries, fitted)])];
  return {
    entries: fitted,
    cut: firstChange(entries, fitted),
    removed,
    isShort,
    scarce: scarceObjects(context, fitted),
  };
}

/**
 * Makes a view that fits its budget. A repaired reference can be longer than the one before. If the view then exceeds
 * the budget, it is made again with more and more tokens to spare.
 */
function fittedWith(
  context: PlanningContext,
  budget: number,
  make: (spare: number) => readonly ViewEntry[],
): readonly ViewEntry[] {
  let spare = 0;
  let made = make(spare);
  while (total(context, made) > budget && spare < budget) {
    spare = 2 * spare + total(context, made) - budget;
    made = make(spare);
  }
  return made;
}

function scarceObjects(context: PlanningContext, entries: readonly ViewEntry[]): readonly UseKey[] {
  const parts = shownParts(entries);
  return context.input.active
    .filter((object) => wantedParts(context, parts, object, false).length > 0)
    .map(({ entry }) => entry.handle);
}

/** Returns the objects that had content in the first view and have none in the second. */
function goneFrom(before: readonly ViewEntry[], now: readonly ViewEntry[]): readonly UseKey[] {
  const kept = new Set(now.flatMap((entry) => contentParts(entry).map(({ of }) => of)));
  const shown = before.flatMap((entry) => contentParts(entry).map(({ of }) => of));
  return [...new Set(shown)].filter((of) => !kept.has(of));
}

/**
 * Shows pinned contents first, then those that were just activated, then the newest, as far as the budget allows.
 * Contents that do not fit whole are shown in part or by their line.
 */
function contentsInPart(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  budget: number,
  activated: ReadonlySet<string>,
): readonly ViewEntry[] {
  if (total(context, entries) <= budget) return entries;
  const ranks = contentRanks(context, entries, activated);
  const contents = entries.flatMap((entry, index) => {
    const rank = ranks[index];
    return rank === undefined ? [] : [{ entry, index, rank }];
  });
  const unsentFrom = entries.findLastIndex(({ type }) => type === "assistant") + 1;
  const ordered = contents.toReversed().toSorted((left, right) => left.rank - right.rank);
  const fitted = [...entries];
  const references = new Map(
    contents.map(({ entry, index }) => [index, withoutContent(context, entry)]),
  );
  let room = budget;
  for (const [index, entry] of entries.entries()) {
    const reference = references.get(index);
    room -= tokensOf(context, reference ?? entry);
  }
  for (const { entry, index } of ordered) {
    const reference = references.get(index);
    if (reference === undefined) continue;
    const mine = room + tokensOf(context, reference);
    // The part leaves some of the budget free, so that the next call does not exceed it at once.
    const roomOfPart = mine - budget * (1 - fullest);
    const shown = tokensOf(context, entry) <= mine ? entry : inPart(context, entry, roomOfPart);
    const refused = index >= unsentFrom ? withoutRoom(context, entry) : undefined;
    const chosen =
      [shown, refused].find((one) => one !== undefined && tokensOf(context, one) <= mine) ??
      reference;
    fitted[index] = chosen;
    room = mine - tokensOf(context, chosen);
  }
  return fitted;
}

/** Returns a result that the model has not seen with a line that says that its content does not fit. */
function withoutRoom(context: PlanningContext, entry: ViewEntry): ViewEntry | undefined {
  if (entry.type !== "result") return undefined;
  const shows = contentParts(entry).map(({ of, version }) => ({
    of,
    version,
    form: "line" as const,
    cut: true as const,
  }));
  if (shows.length === 0) return undefined;
  return sized<ResultEntry>(
    { ...resultPlace(entry), form: "shown", shows: once(shows) },
    context.source,
  );
}

/**
 * Returns an entry with a part of its first text, or undefined if the budget does not allow that: the beginning and the
 * end of a content, or the first of some lines.
 */
function inPart(context: PlanningContext, entry: ViewEntry, room: number): ViewEntry | undefined {
  if (entry.type !== "result" && entry.type !== "object") return undefined;
  const [first, ...rest] = entry.shows ?? [];
  if (first === undefined) return undefined;
  const content = context.source.object(first.of, first.version)?.stored.body.content;
  if (typeof content !== "string") return undefined;
  const factor = context.input.factor ?? 1;
  for (
    let tokens = Math.floor(room / factor) - 60;
    tokens > 40;
    tokens = Math.floor(tokens * 0.8)
  ) {
    const part = partOf(first, content, tokens);
    if (part === undefined) return undefined;
    const others = rest.map(({ of, version }) => ({ of, version, form: "line" as const }));
    const shows = [part, ...others.filter(({ of }) => of !== first.of)];
    const made: ViewEntry =
      entry.type === "object"
        ? sized<ObjectEntry>({ type: "object", shows }, context.source)
        : sized<ResultEntry>({ ...resultPlace(entry), form: "shown", shows }, context.source);
    if (tokensOf(context, made) <= room) return made;
  }
  return undefined;
}

/** Returns a part of what is shown of a content. Of lines, no others are shown. */
function partOf(shown: ShownPart, content: string, tokens: number): ShownPart | undefined {
  const { of, version } = shown;
  if (shown.form !== "lines") {
    const ends = endsOfTokens(content, Math.floor(tokens * 0.75), Math.floor(tokens * 0.25));
    return { of, version, form: "part", ...ends, cut: true };
  }
  const { from = 1, to = lineCount(content) } = shown;
  const text = linesOf(content, { from, to });
  const { head } = endsOfTokens(text, tokens, 0);
  const count = text.slice(0, head).split("\n").length - 1;
  if (count === 0) return undefined;
  return { of, version, form: "lines", from, to: from + count - 1, cut: true };
}

function resultPlace(entry: ResultEntry): Omit<ResultEntry, "tokens" | "form" | "shows"> {
  const { type, turn, step, call, of, version, replaces } = entry;
  return { type, turn, step, call, ...defined({ of, version, replaces }) };
}
