import { lineCount, linesOf } from "@self-context-manager/objects";
import type { UseKey } from "../../policy/activation-policy.ts";
import { omissionNotices } from "../../lines/notices.ts";
import { endsOfTokens } from "../../render/head-and-tail.ts";
import {
  contentParts,
  type ObjectEntry,
  type ResultEntry,
  type ShownPart,
  type ViewEntry,
} from "../../view/view-entry.ts";
import { firstChange } from "./bound-thinking.ts";
import { sized } from "./entry-messages.ts";
import { entriesByStep, holdsFiles, leastView, omissionNotice } from "./least-view.ts";
import type { PlanningContext } from "./planning-context.ts";
import { repairReferences } from "./repair-references.ts";
import { once, shownParts } from "./shown-parts.ts";
import { referenceOf, removables, sweep } from "./sweep.ts";
import { tokensOf, total } from "./view-tokens.ts";
import { missingObjects, wantedParts } from "./wanted-parts.ts";

/**
 * Share of the budget that remains filled after the budget ended an epoch, so that the next call does not end another.
 */
const share = 0.75;

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
 * Makes a view fit its budget. Earlier contents leave first. If the messages without contents are still too large, the
 * oldest turns leave, then the oldest steps of the last turn. Then the contents that were requested last and pinned
 * contents are shown in part. At last the newest user message itself is shown in part.
 */
export function fitBudget(context: PlanningContext, entries: readonly ViewEntry[]): FittedView {
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
    const shorter = withoutOldTurns(context, swept.entries, budget);
    fitted = fittedWith(context, budget, (spare) =>
      repaired(contentsInPart(context, shorter, budget - spare)),
    );
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

/** Returns the tokens of an entry if its content is not shown. */
function proseTokens(context: PlanningContext, entry: ViewEntry): number {
  return contentParts(entry).length === 0 ? tokensOf(context, entry) : 24;
}

function withoutOldTurns(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  budget: number,
): readonly ViewEntry[] {
  let prose = entries.reduce((sum, entry) => sum + proseTokens(context, entry), 0);
  if (prose <= budget * 0.9) return entries;
  // What stays in any case takes no room from the newest turns.
  const files = entries.filter((entry) => holdsFiles(context, entry));
  const target = budget * share + (1 - share) * total(context, files);
  const starts = entries.flatMap((entry, index) => (entry.type === "user" ? [index] : []));
  const lastStart = starts.at(-1) ?? 0;
  const drop = (from: number, to: number): void => {
    for (let index = from; index < to; index += 1) {
      const entry = entries[index];
      if (entry !== undefined && !holdsFiles(context, entry)) prose -= proseTokens(context, entry);
    }
  };
  let first = 0;
  for (const start of starts) {
    if (prose <= target) break;
    drop(first, start);
    first = start;
  }
  let kept = entries.slice(first);
  const held = entries.slice(0, first).filter((entry) => holdsFiles(context, entry));
  const notices: ViewEntry[] = [];
  const user = entries[first];
  if (first > 0 && user?.type === "user" && user.turn > 0)
    notices.push(
      omissionNotice(context, (chat) => omissionNotices.turns.write(1, user.turn, chat)),
    );
  if (prose > target && first === lastStart) {
    const head = kept[0]?.type === "user" ? kept.slice(0, 1) : [];
    const groups = entriesByStep(kept.slice(head.length));
    let gone = 0;
    while (gone < groups.length - 1 && prose > target) {
      for (const entry of groups[gone] ?? []) prose -= proseTokens(context, entry);
      gone += 1;
    }
    const line =
      gone === 0
        ? []
        : [omissionNotice(context, (chat) => omissionNotices.steps.write(gone, chat))];
    kept = [...head, ...line, ...groups.slice(gone).flat()];
  }
  const shorter = [...notices, ...held, ...kept];
  if (shorter[0]?.type === "assistant" || shorter[0]?.type === "result")
    shorter.unshift(omissionNotice(context, omissionNotices.earlier.write));
  return [...shorter, ...missingObjects(context, shownParts(shorter))];
}

/**
 * Shows pinned contents first, then the results that the model has not seen, then the newest, as far as the budget
 * allows. Contents that do not fit whole are shown in part or by their line.
 */
function contentsInPart(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  budget: number,
): readonly ViewEntry[] {
  if (total(context, entries) <= budget) return entries;
  const contents = entries.flatMap((entry, index) =>
    contentParts(entry).length === 0 ? [] : [{ entry, index }],
  );
  const isPinned = (entry: ViewEntry): boolean =>
    contentParts(entry).some(({ of }) => context.active.get(of)?.isPinned === true);
  const unsentFrom = entries.findLastIndex(({ type }) => type === "assistant") + 1;
  const rank = ({ entry, index }: (typeof contents)[number]): number => {
    if (isPinned(entry)) return 0;
    return entry.type === "result" && index >= unsentFrom ? 1 : 2;
  };
  const ordered = contents.toReversed().toSorted((left, right) => rank(left) - rank(right));
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

function withoutContent(context: PlanningContext, entry: ViewEntry): ViewEntry {
  if (entry.type === "result") return referenceOf(context, entry);
  if (entry.type !== "object") return entry;
  const shows = entry.shows.map(({ of, version }) => ({ of, version, form: "line" as const }));
  return sized<ObjectEntry>({ type: "object", shows }, context.source);
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
  return {
    type,
    turn,
    step,
    call,
    ...(of === undefined ? {} : { of }),
    ...(version === undefined ? {} : { version }),
    ...(replaces === undefined ? {} : { replaces }),
  };
}
