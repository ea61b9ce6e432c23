import { defined } from "@self-context-manager/objects";
import { linesBesideOutput, once, shownParts, type ShownParts } from "../../view/shown-parts.ts";
import {
  type AssistantEntry,
  contentParts,
  type ObjectEntry,
  type ResultEntry,
  type ShownPart,
  type ViewEntry,
} from "../../view/view-entry.ts";
import { isPassingNotice } from "./appended-lines.ts";
import { boundTo, showsThinking, withoutThinking } from "./bound-thinking.ts";
import { withoutFreeTexts } from "./free-texts.ts";
import { stubsFor } from "./large-arguments.ts";
import { leastTokens, type Removable } from "./leaving.ts";
import { fixedTypes, type PlanningContext } from "./planning-context.ts";
import { missingResult, resultEntry } from "./result-entries.ts";
import { withoutTexts } from "./user-entries.ts";

/** What changes in the entries of a view. */
export interface Change {
  /** Index of the first entry that is drawn again. */
  readonly cut: number;
  /** The parts that leave. */
  readonly leaving?: readonly Removable[];
  /** Index of the first result that the model has not answered. It shows what its call asked for. */
  readonly unsentFrom?: number;
  /** Whether an epoch ends, so that free texts leave. */
  readonly isEnd?: boolean;
}

/**
 * Draws the messages of the chat again from the cut on, each once and in order, from what is above it. A content that
 * leaves becomes its reference line, and so do an older version of a file and a part that refers to a content that is not
 * above. Signed thinking is not shown to a model that binds it. Objects and notices outside results are not drawn again,
 * except contents as short as their line: `appended` adds those that are still true.
 */
export function redraw(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  { cut, leaving = [], unsentFrom = Number.POSITIVE_INFINITY, isEnd = false }: Change,
): readonly ViewEntry[] {
  if (cut >= entries.length) return entries;
  const made = entries.slice(0, cut);
  const above = shownParts(made);
  const leavingAt = Map.groupBy(leaving, ({ index }) => index);
  for (let index = cut; index < entries.length; index += 1) {
    const entry = entries[index];
    if (entry === undefined) continue;
    const left = leavingAt.get(index) ?? [];
    const again = isPassing(context, entry)
      ? undefined
      : drawnAgain(context, above, entry, left, index >= unsentFrom);
    if (again === undefined) continue;
    made.push(again);
    above.add(again);
  }
  return isEnd ? withoutFreeTexts(context, made, cut) : made;
}

/**
 * Draws a view again from the cut on after contents above have left for the budget. All forms stay, but a part that
 * refers to a content that is not above is a line.
 */
export function resolved(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  cut: number,
): readonly ViewEntry[] {
  const above = shownParts(entries.slice(0, cut));
  return entries.flatMap((entry, index): readonly ViewEntry[] => {
    if (index < cut) return [entry];
    const again =
      entry.type === "assistant"
        ? answerAgain(context, entry, [])
        : entry.type === "result" || entry.type === "object"
          ? withParts(context, above, entry, (part) => reference(context, above, part))
          : entry;
    if (again === undefined) return [];
    above.add(again);
    return [again];
  });
}

/** Returns a message as it is shown behind the cut, or undefined if it is not shown. */
function drawnAgain(
  context: PlanningContext,
  above: ShownParts,
  entry: ViewEntry,
  leaving: readonly Removable[],
  isUnsent: boolean,
): ViewEntry | undefined {
  switch (entry.type) {
    case "user":
      if (leaving.length === 0) return entry;
      return withoutTexts(context, entry, new Set(leaving.map(({ call = 0 }) => call)));
    case "assistant":
      return answerAgain(context, entry, leaving);
    case "result":
      if (leaving.length > 0) return referenceOf(context, entry);
      return resultAgain(context, above, entry, isUnsent);
    default:
      return entry;
  }
}

function answerAgain(
  context: PlanningContext,
  entry: AssistantEntry,
  leaving: readonly Removable[],
): AssistantEntry | undefined {
  const isRefused = boundTo(context) !== undefined && showsThinking(context, entry);
  const valid = isRefused ? withoutThinking(context, entry) : entry;
  if (valid === undefined || leaving.length === 0) return valid;
  const rest = valid;
  const stubs = stubsFor(context, valid, new Set(leaving.map(({ call }) => call)));
  return context.sized({ ...rest, stubs });
}

function resultAgain(
  context: PlanningContext,
  above: ShownParts,
  entry: ResultEntry,
  isUnsent: boolean,
): ResultEntry {
  const { turn, step, call: position } = entry;
  if (context.leftOut.has(entry))
    return entry.of === undefined ? entry : missingResult(context, entry);
  const isLate = entry.of === undefined && context.resultAt(entry) !== undefined;
  const call = isUnsent || isLate ? context.callAt(entry) : undefined;
  if (call !== undefined) return resultEntry(context, above, { turn, step, call: position }, call);
  return withParts(context, above, entry, (part) => {
    if (part.form === "line") return withNewestVersion(context, part);
    const stored = context.active.get(part.of)?.stored;
    const isOld =
      stored !== undefined &&
      !fixedTypes.has(stored.body.type) &&
      part.form !== "above" &&
      part.version !== stored.version;
    return isOld ? lineOf(context, part) : reference(context, above, part);
  });
}

/** Returns an entry with other parts, or the same entry if they are the same. */
function withParts<Entry extends ResultEntry | ObjectEntry>(
  context: PlanningContext,
  above: ShownParts,
  entry: Entry,
  again: (part: ShownPart) => ShownPart,
): Entry {
  const { replaces, shows, ...rest } = entry as ResultEntry;
  const isReplaced = replaces !== undefined && hasVersion(above, replaces.of, replaces.above);
  const parts = shows?.map(again);
  const isSame = parts?.every((part, index) => part === shows?.[index]) !== false;
  if (isSame && (replaces === undefined || isReplaced)) return entry;
  if (rest.form === "bare" && rest.of !== undefined && !context.active.has(rest.of))
    return referenceOf(context, entry as ResultEntry) as Entry;
  const made = {
    ...rest,
    ...(parts === undefined ? {} : { shows: once(parts) }),
    ...(isReplaced ? { replaces } : {}),
  };
  return context.sized(made as unknown as Entry) as unknown as Entry;
}

/** Returns a part that refers only to what is above. */
function reference(context: PlanningContext, above: ShownParts, part: ShownPart): ShownPart {
  if (part.form === "above") return aboveAgain(above, part) ?? lineOf(context, part);
  const isResolved =
    part.form !== "diff" ||
    (context.active.has(part.of) && hasVersion(above, part.of, part.since ?? 0));
  return isResolved ? part : lineOf(context, part);
}

function withNewestVersion(context: PlanningContext, part: ShownPart): ShownPart {
  const version = context.versionOf(part.of) ?? part.version;
  return version === part.version ? part : { ...part, version };
}

function lineOf(context: PlanningContext, { of, version }: ShownPart): ShownPart {
  return { of, version: context.versionOf(of) ?? version, form: "line" };
}

/** Returns a "shown above" that is true of what is above, or undefined if nothing of the object is there. */
function aboveAgain(above: ShownParts, part: ShownPart): ShownPart | undefined {
  const { of, version, from, to = Infinity } = part;
  const shown = above.of(of);
  if (above.isBare(of)) return part;
  if (shown.length === 0) return undefined;
  const isAll = shown.some(
    (one) =>
      one.form === "whole" ||
      one.form === "diff" ||
      (from !== undefined && (one.from ?? Infinity) <= from && to <= (one.to ?? -1)),
  );
  const isCut = part.cut !== true && !isAll && shown.some(({ cut }) => cut === true);
  return isCut ? { of, version, form: "above", cut: true } : part;
}

function hasVersion(above: ShownParts, handle: string, version: number): boolean {
  return above.of(handle).some((part) => part.version === version);
}

/**
 * Returns the entry that replaces a result whose content left the view: a line with the newest metadata of the call. For
 * a context tool, its line names the object that it showed.
 */
export function referenceOf(context: PlanningContext, entry: ResultEntry): ResultEntry {
  const { turn, step, call, of, version } = entry;
  const base = { type: "result" as const, turn, step, call, ...defined({ of, version }) };
  // The lines beside an output name files of the call, and the reference of the call replaces them.
  const beside = linesBesideOutput(entry);
  const others = (entry.shows ?? []).filter((part) => part.of !== of && !beside.includes(part));
  if (others.length > 0)
    return context.sized({ ...base, form: "shown", shows: context.linesFor(others) });
  const newest = of === undefined ? undefined : context.versionOf(of);
  const named = newest === undefined ? base : { ...base, version: newest };
  return context.sized({ ...named, form: "reference" });
}

/** Returns the most tokens that entries have when they are drawn again behind a cut that removes contents above. */
export function mostTokens(context: PlanningContext, entries: readonly ViewEntry[]): number {
  return entries.reduce((sum, entry) => {
    const tokens = context.tokensOf(entry);
    const other = withoutAbove(context, entry);
    return sum + (other === entry ? tokens : Math.max(tokens, context.tokensOf(other)));
  }, 0);
}

/** Returns an entry that refers to no content above. */
function withoutAbove(context: PlanningContext, entry: ViewEntry): ViewEntry {
  if (entry.type !== "result" && entry.type !== "object") return entry;
  if (entry.shows?.some(refersAbove) !== true) return entry;
  const shows = entry.shows.map((part) => (refersAbove(part) ? lineOf(context, part) : part));
  return context.sized({ ...(entry as ResultEntry), shows: once(shows) });
}

function refersAbove({ form }: ShownPart): boolean {
  return form === "above" || form === "diff";
}

/** Whether a content outside results is about as short as its line would be, so that it stays. */
function isShort({ settings }: PlanningContext, entry: ObjectEntry): boolean {
  const isContent = contentParts(entry).length === entry.shows.length;
  const isLeaning = entry.shows.some(({ form }) => form === "diff");
  return entry.tokens <= leastTokens(settings) && isContent && !isLeaning;
}

/** Whether an entry is not drawn again behind a cut: a message that is left out, and what is appended. */
function isPassing(context: PlanningContext, entry: ViewEntry): boolean {
  switch (entry.type) {
    case "user":
      return context.leftOut.has({ turn: entry.turn, step: -1 });
    case "assistant":
    case "opaque":
    case "result":
      return context.leftOut.has({ turn: entry.turn, step: entry.step });
    case "notice":
      return isPassingNotice(context, entry);
    case "object":
      return !isShort(context, entry);
    case "summary":
    case "added":
      return false;
  }
}
