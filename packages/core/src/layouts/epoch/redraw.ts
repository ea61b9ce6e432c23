import { defined } from "@self-context-manager/objects";
import { linesBesideOutput, once, shownParts, type ShownParts } from "../../view/shown-parts.ts";
import {
  type AssistantEntry,
  contentParts,
  isContent,
  type ObjectEntry,
  partsOf,
  type ResultEntry,
  type ShownPart,
  type ViewEntry,
} from "../../view/view-entry.ts";
import { fixedTypes } from "../../view/fixed-types.ts";
import { isPassingNotice } from "./appended-lines.ts";
import { boundTo, showsThinking, withoutThinking } from "./bound-thinking.ts";
import { withFolds } from "./folds.ts";
import { withoutFreeTexts } from "./free-texts.ts";
import { stubsFor } from "./large-arguments.ts";
import type { Removable } from "./leaving.ts";
import type { PlanningContext } from "./planning-context.ts";
import { missingResult, resultEntry } from "./result-entries.ts";
import { withoutParts } from "./user-entries.ts";

/** What changes in the entries of a view. */
export interface Change {
  /** Index of the first entry that is drawn again. */
  readonly cut: number;
  /** The parts that leave. */
  readonly leaving?: readonly Removable[];
  /** Index of the first result that the model has not answered. It shows what its call asked for. */
  readonly unsentFrom?: number;
  /** Whether a content outside results is not shown any longer. */
  readonly isWithheld?: (part: ShownPart) => boolean;
  /**
   * Whether an epoch ends. Then former versions of files are not shown, lines in results get the newest version, finished
   * steps are folded, free texts leave, and lines and notices outside results are left to `appended`.
   */
  readonly isEnd?: boolean;
}

/**
 * Draws the entries of a view again from the cut on, each once and in order, from what is above it. A content that leaves
 * becomes its reference line, and so does a part that refers to a content that is not above. Messages that are left out
 * are not drawn. Signed thinking is not shown to a model that binds it.
 */
export function redraw(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  change: Change,
): readonly ViewEntry[] {
  const { cut, leaving = [], isEnd = false } = change;
  if (cut >= entries.length) return entries;
  const made = entries.slice(0, cut);
  const above = shownParts(made);
  const leavingAt = Map.groupBy(leaving, ({ index }) => index);
  for (const [index, entry] of entries.entries()) {
    if (index < cut) continue;
    const at = { context, change, above, index, leaving: leavingAt.get(index) ?? [] };
    const again = isLeftOut(context, entry) ? undefined : drawnAgain(at, entry);
    if (again === undefined) continue;
    made.push(again);
    above.add(again);
  }
  return isEnd ? withoutFreeTexts(context, withFolds(context, made, cut), cut) : made;
}

/** The place of an entry that is drawn again. */
interface Redrawing {
  readonly context: PlanningContext;
  readonly change: Change;
  /** The parts that are shown above it. */
  readonly above: ShownParts;
  readonly index: number;
  /** The parts of it that leave. */
  readonly leaving: readonly Removable[];
}

/** Returns an entry as it is shown behind the cut, or undefined if it is not shown. */
function drawnAgain(at: Redrawing, entry: ViewEntry): ViewEntry | undefined {
  const { context, change, leaving } = at;
  switch (entry.type) {
    case "user":
      if (leaving.length === 0) return entry;
      return withoutParts(context, entry, new Set(leaving.map(({ call = 0 }) => call)));
    case "assistant":
      return answerAgain(context, entry, leaving);
    case "result":
      return leaving.length > 0 ? referenceOf(context, entry) : resultAgain(at, entry);
    case "object":
      return leaving.length > 0 ? undefined : objectAgain(at, entry);
    case "notice":
      return change.isEnd === true && isPassingNotice(context, entry) ? undefined : entry;
    case "opaque":
    case "summary":
    case "added":
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
  const stubs = stubsFor(context, valid, new Set(leaving.map(({ call }) => call)));
  return context.sized({ ...valid, stubs });
}

function resultAgain({ context, change, above, index }: Redrawing, entry: ResultEntry): ViewEntry {
  const { turn, step, call: position } = entry;
  if (context.leftOut.has(entry))
    return entry.of === undefined ? entry : missingResult(context, entry);
  const isUnsent = index >= (change.unsentFrom ?? Number.POSITIVE_INFINITY);
  const isLate = entry.of === undefined && context.resultAt(entry) !== undefined;
  const call = isUnsent || isLate ? context.callAt(entry) : undefined;
  if (call !== undefined) return resultEntry(context, above, { turn, step, call: position }, call);
  return withParts(context, above, entry, (part) => {
    if (change.isEnd !== true) return reference(context, above, part);
    if (part.form === "line") return withNewestVersion(context, part);
    return isOld(context, part) ? context.lineOf(part) : reference(context, above, part);
  });
}

/** Returns the contents that stay. At an epoch's end, an object that nothing else names gets its line by `appended`. */
function objectAgain(
  { context, change, above }: Redrawing,
  entry: ObjectEntry,
): ViewEntry | undefined {
  if (change.isEnd !== true) {
    const isWithheld = (part: ShownPart): boolean =>
      isContent(part) && change.isWithheld?.(part) === true;
    return withParts(context, above, entry, (part) =>
      isWithheld(part) ? context.lineOf(part) : reference(context, above, part),
    );
  }
  const isTrue = (part: ShownPart): boolean =>
    !isOld(context, part) && reference(context, above, part) === part && !isRepeated(above, part);
  const shows = contentParts(entry).filter(isTrue);
  if (shows.length === 0) return undefined;
  return shows.length === entry.shows.length ? entry : context.sized({ type: "object", shows });
}

/** Whether a part shows a former version of an active file. */
function isOld(context: PlanningContext, { of, version, form }: ShownPart): boolean {
  const stored = context.active.get(of)?.stored;
  if (stored === undefined || fixedTypes.has(stored.body.type)) return false;
  return form !== "above" && version !== stored.version;
}

/** Returns an entry with other parts, or the same entry if they are the same. */
function withParts(
  context: PlanningContext,
  above: ShownParts,
  entry: ResultEntry | ObjectEntry,
  again: (part: ShownPart) => ShownPart,
): ViewEntry {
  const shows = partsOf(entry).map(again);
  const isSame = shows.every((part, index) => part === entry.shows?.[index]);
  if (entry.type === "object")
    return isSame ? entry : context.sized({ ...entry, shows: once(shows) });
  const { replaces, ...rest } = entry;
  const isReplaced = replaces !== undefined && hasVersion(above, replaces.of, replaces.above);
  if (isSame && (replaces === undefined || isReplaced)) return entry;
  if (rest.form === "bare" && rest.of !== undefined && !context.active.has(rest.of))
    return referenceOf(context, entry);
  return context.sized({
    ...rest,
    ...(rest.shows === undefined ? {} : { shows: once(shows) }),
    ...(isReplaced ? { replaces } : {}),
  });
}

/** Returns a part that refers only to what is above. */
function reference(context: PlanningContext, above: ShownParts, part: ShownPart): ShownPart {
  if (part.form === "above") return aboveAgain(above, part) ?? context.lineOf(part);
  const isResolved =
    part.form !== "diff" ||
    (context.active.has(part.of) && hasVersion(above, part.of, part.since ?? 0));
  return isResolved ? part : context.lineOf(part);
}

function withNewestVersion(context: PlanningContext, part: ShownPart): ShownPart {
  const { version } = context.lineOf(part);
  return version === part.version ? part : { ...part, version };
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
  const isShort =
    part.forBudget !== true && !isAll && shown.some(({ forBudget }) => forBudget === true);
  return isShort ? { of, version, form: "above", forBudget: true } : part;
}

/** Whether lines of a content are shown above, as in a result that was drawn again. `appended` shows the others. */
function isRepeated(
  above: ShownParts,
  { of, version, from = 1, to = Infinity }: ShownPart,
): boolean {
  return above.of(of).some((one) => {
    if (one.version !== version) return false;
    if (one.form !== "lines") return one.form === "whole";
    return (one.from ?? 1) <= to && from <= (one.to ?? Infinity);
  });
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
  const others = partsOf(entry).filter((part) => part.of !== of && !beside.includes(part));
  if (others.length > 0)
    return context.sized({ ...base, form: "shown", shows: context.linesFor(others) });
  const newest = context.entryOf(of ?? "")?.stored.version;
  return context.sized({ ...base, ...defined({ version: newest }), form: "reference" });
}

/** Whether the message of an entry is left out. A result that is left out alone is shown as one that is not there. */
function isLeftOut({ leftOut }: PlanningContext, entry: ViewEntry): boolean {
  if (entry.type === "user") return leftOut.has({ turn: entry.turn, step: -1 });
  return "step" in entry && leftOut.has({ turn: entry.turn, step: entry.step });
}
