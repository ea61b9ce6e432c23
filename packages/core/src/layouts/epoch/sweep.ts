import { defined } from "@self-context-manager/objects";

import type { CallKind } from "../../calls/call-kind.ts";
import { callsOf } from "../../chat/turn.ts";
import type { InView, UseKey } from "../../policy/activation-policy.ts";
import type { ActiveObject } from "../../view/layout.ts";
import {
  type AssistantEntry,
  contentParts,
  isCounted,
  type ObjectEntry,
  type ResultEntry,
  type ShownPart,
  type ViewEntry,
} from "../../view/view-entry.ts";
import { mergedCorrections, withCurrentNotices } from "./corrections.ts";
import { sized } from "./entry-messages.ts";
import { argumentsInView, stubOf } from "./large-arguments.ts";
import type { EpochSettings } from "./epoch-settings.ts";
import type { PlanningContext } from "./planning-context.ts";
import { repairReferences } from "./repair-references.ts";
import { resultEntry } from "./result-entries.ts";
import { leavingTexts, withoutTexts } from "./user-entries.ts";
import {
  currentVersion,
  fixedTypes,
  linesBesideOutput,
  linesFor,
  once,
  partsOf,
  shownParts,
  type ShownParts,
} from "./shown-parts.ts";

/** Usual tokens of the message that replaces a removed content. */
export const referenceTokens = 16;

/** Returns the tokens up to which a content stays, because a reference line would be about as long. */
export function leastTokens({ small }: EpochSettings): number {
  return Math.min(referenceTokens, small);
}

/** A part of the view that can leave: a content, the large arguments of one call, or a long text of the user. */
export interface Removable {
  readonly index: number;
  /** The objects that it shows. */
  readonly keys: readonly UseKey[];
  /** Tokens that leave the view with it. */
  readonly saves: number;
  /** Whether it is dead: no longer active, or replaced by a content further down. */
  readonly isDead: boolean;
  /** Whether the model or the user deactivated everything that it shows. */
  readonly isDeactivated?: boolean;
  /** Position of the call, if this is a call's arguments; the text block, if it is a long text of the user. */
  readonly call?: number;
  /** Whether it stays when the epoch ends. */
  readonly stays: boolean;
}

/**
 * Returns all parts of the view that can leave, in order. A part that was not sent before, from `unsentFrom` on, is
 * never dead and always stays, because the last answer asked for it.
 */
export function removables(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  unsentFrom: number,
): readonly Removable[] {
  const lastWhole = new Map<string, number>();
  entries.forEach((entry, index) => {
    for (const part of contentParts(entry))
      if (part.form === "whole") lastWhole.set(part.of, index);
  });
  const isLive = (part: ShownPart, index: number): boolean =>
    context.active.has(part.of) &&
    (lastWhole.get(part.of) ?? index) <= index &&
    !isReplaced(context, part);
  const found: Removable[] = [];
  entries.forEach((entry, index) => {
    const isUnsent = index >= unsentFrom;
    if (entry.type === "assistant") {
      for (const { key, call, saves } of argumentsInView(context, entry)) {
        const isDead = !isUnsent && !context.keepsArguments({ key, tokens: saves });
        const stays = isUnsent || (!isDead && context.stays({ key, tokens: saves }));
        found.push({ index, keys: [key], saves, isDead, stays, call });
      }
      return;
    }
    if (entry.type === "user") {
      for (const { key, block, tokens, saves } of leavingTexts(context, entry)) {
        const isAlive = isLive({ of: key, version: 1, form: "whole" }, index);
        const isPinned = context.active.get(key)?.isPinned === true;
        const stays = isUnsent || (isAlive && (isPinned || context.stays({ key, tokens })));
        const isDead = !isUnsent && !isAlive;
        const isDeactivated = context.isDeactivated(key);
        found.push({ index, keys: [key], saves, isDead, isDeactivated, stays, call: block });
      }
      return;
    }
    const parts = contentParts(entry);
    if (parts.length === 0 || entry.tokens <= leastTokens(context.settings)) return;
    const isDead = !isUnsent && !parts.some((part) => isLive(part, index));
    const stays =
      isUnsent ||
      parts.some((part) => {
        const isPinned = context.active.get(part.of)?.isPinned === true;
        const inView = inViewOf(context, part.of, entry.tokens);
        return isLive(part, index) && (isPinned || context.stays(inView));
      });
    const keys = [...new Set(parts.map(({ of }) => of))];
    const saves = Math.max(1, entry.tokens - referenceTokens);
    const isDeactivated = keys.every((key) => context.isDeactivated(key));
    found.push({ index, keys, saves, isDead, isDeactivated, stays });
  });
  return found;
}

/** Whether a version is too old to stay until the epoch ends. */
function isReplaced(context: PlanningContext, { of, version }: ShownPart): boolean {
  if (context.settings.superseded === "at-epoch-end") return false;
  const { stored } = context.active.get(of) ?? {};
  return stored !== undefined && !fixedTypes.has(stored.body.type) && version < stored.version;
}

function inViewOf(context: PlanningContext, key: string, tokens: number): InView {
  const kind = context.entryOf(key)?.stored.body["call_kind"] as CallKind | undefined;
  return kind === undefined ? { key, tokens } : { key, tokens, kind };
}

/** A view after a sweep, with the place from which it changed. */
export interface Swept {
  readonly entries: readonly ViewEntry[];
  /** Index of the first entry that changed; the number of entries if none changed. */
  readonly cut: number;
  readonly removed: readonly UseKey[];
}

/**
 * Removes the leaving parts from a view. Each content becomes its reference line, and large arguments become an
 * argument stub that names the version of the file that holds them.
 */
export function sweep(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  leaving: readonly Removable[],
  unsentFrom: number,
): Swept {
  if (leaving.length === 0) return { entries, cut: entries.length, removed: [] };
  const cut = leaving[0]?.index ?? entries.length;
  const byIndex = new Map<number, Removable[]>();
  for (const one of leaving) {
    const known = byIndex.get(one.index);
    if (known === undefined) byIndex.set(one.index, [one]);
    else known.push(one);
  }
  const referred = handlesInChat(entries);
  const swept = entries.flatMap((entry, index): readonly ViewEntry[] => {
    if (index < cut) return [entry];
    const removable = byIndex.get(index);
    if (entry.type === "assistant")
      return [removable === undefined ? entry : withStubs(context, entry, removable)];
    if (removable !== undefined && entry.type === "user")
      return [withoutTexts(context, entry, new Set(removable.map(({ call = 0 }) => call)))];
    if (removable !== undefined && entry.type === "result") return [referenceOf(context, entry)];
    if (removable !== undefined && entry.type === "object")
      return objectLine(context, entry, referred);
    return [entry];
  });
  const refreshed = refresh(context, swept, cut);
  const isUnsent = (index: number): boolean =>
    index >= refreshed.length - (entries.length - unsentFrom);
  const shown = withResultsAsAsked(context, refreshed, isUnsent);
  const repaired = mergedCorrections(context, repairReferences(context, shown, cut, isUnsent), cut);
  const removed = [...new Set(leaving.flatMap(({ keys }) => keys))];
  const named = withLinesOf(context, repaired, removed);
  return { entries: withCurrentNotices(context, named, cut), cut, removed };
}

/**
 * Returns a view with a line for each removed object that it does not name: the result that named it showed only that it
 * was above.
 */
function withLinesOf(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  removed: readonly UseKey[],
): readonly ViewEntry[] {
  const named = handlesInChat(entries);
  for (const entry of entries)
    if (entry.type === "object")
      for (const part of entry.shows) if (!isCounted(part)) named.add(part.of);
  const parts = removed.flatMap((of): readonly ShownPart[] => {
    const version = context.entryOf(of)?.stored.version;
    return version === undefined || named.has(of) ? [] : [{ of, version, form: "line" }];
  });
  if (parts.length === 0) return entries;
  return [...entries, sized<ObjectEntry>({ type: "object", shows: parts }, context.source)];
}

/**
 * Returns a view in which each new result shows what its call asked for, beside what is still above. It was made beside
 * contents that have left since, and does not repeat their lines.
 */
function withResultsAsAsked(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  isUnsent: (index: number) => boolean,
): readonly ViewEntry[] {
  const parts = shownParts([]);
  const lastContent = new Map<string, number>();
  for (const [index, entry] of entries.entries())
    for (const { of } of contentParts(entry)) lastContent.set(of, index);
  // A later entry shows an output that was activated again, or the newest version of a file that has changed.
  const isShownBelow = ({ of: output, shows = [] }: ResultEntry, index: number): boolean =>
    [output, ...shows.map(({ of }) => of)].some(
      (handle) => handle !== undefined && (lastContent.get(handle) ?? index) > index,
    );
  return entries.map((entry, index) => {
    const shown =
      isUnsent(index) && entry.type === "result" && !isShownBelow(entry, index)
        ? asAsked(context, parts, entry)
        : entry;
    parts.add(shown);
    return shown;
  });
}

function asAsked(context: PlanningContext, parts: ShownParts, entry: ResultEntry): ResultEntry {
  const { turn, step, call: position } = entry;
  const answer = context.input.turns[turn]?.steps[step];
  const call = answer === undefined ? undefined : callsOf(answer)[position];
  return call === undefined
    ? entry
    : resultEntry(context, parts, { turn, step, call: position }, call);
}

function withStubs(
  context: PlanningContext,
  entry: AssistantEntry,
  removable: readonly Removable[],
): AssistantEntry {
  const calls = new Set(removable.map(({ call }) => call));
  const more = argumentsInView(context, entry)
    .filter(({ call }) => calls.has(call))
    .map(({ call }) => stubOf(context, entry, call));
  // A stub of all large arguments replaces one of a part of them.
  const others = (entry.stubs ?? []).filter(({ call }) => !more.some((one) => one.call === call));
  const stubs = [...others, ...more].toSorted((a, b) => a.call - b.call);
  const { tokens: _tokens, ...rest } = entry;
  return sized<AssistantEntry>({ ...rest, stubs }, context.source);
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
  if (others.length === 0) {
    const newest = of === undefined ? undefined : currentVersion(context, of);
    const named = newest === undefined ? base : { ...base, version: newest };
    return sized<ResultEntry>({ ...named, form: "reference" }, context.source);
  }
  return sized<ResultEntry>(
    { ...base, form: "shown", shows: linesFor(context, others) },
    context.source,
  );
}

/** Returns the lines that replace a content outside a result. An object that a result names anyway needs no line. */
function objectLine(
  context: PlanningContext,
  entry: ObjectEntry,
  referred: ReadonlySet<string>,
): readonly ViewEntry[] {
  const parts = entry.shows.filter(({ of }) => !referred.has(of));
  if (parts.length === 0) return [];
  return [sized<ObjectEntry>({ type: "object", shows: linesFor(context, parts) }, context.source)];
}

/** Returns the handles of the objects that results show or name, and of the long texts in user messages. */
function handlesInChat(entries: readonly ViewEntry[]): Set<string> {
  const handles = new Set<string>();
  for (const entry of entries) {
    if (entry.type === "user") for (const { of } of entry.texts ?? []) handles.add(of);
    if (entry.type !== "result") continue;
    if (entry.of !== undefined) handles.add(entry.of);
    for (const part of entry.shows ?? []) handles.add(part.of);
  }
  return handles;
}

/**
 * Shows each object that stays once, whole and in its newest version, at its last place after the cut. If that version
 * is already shown before the cut, lines replace the later contents.
 */
function refresh(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  cut: number,
): readonly ViewEntry[] {
  const objects = new Map<string, Refreshed>();
  entries.forEach((entry, index) => {
    for (const part of contentParts(entry)) {
      const object = context.active.get(part.of);
      if (object === undefined || fixedTypes.has(object.stored.body.type)) continue;
      const known = objects.get(part.of) ?? nothingSeen;
      objects.set(part.of, seen(known, part, object, index, cut));
    }
  });
  if (![...objects.values()].some(({ isStale }) => isStale)) return entries;
  return entries.map((entry, index) => {
    if (index < cut || (entry.type !== "result" && entry.type !== "object")) return entry;
    if (!contentParts(entry).some(({ of }) => objects.get(of)?.isStale === true)) return entry;
    const shows = (entry.shows ?? []).flatMap((part): readonly ShownPart[] => {
      const known = objects.get(part.of);
      const object = context.active.get(part.of);
      if (object === undefined && contentParts(entry).includes(part))
        return linesFor(context, [part]);
      if (known?.isStale !== true || object === undefined) return [part];
      if (known.isAbove && part.version === object.stored.version) return [part];
      if (known.isAbove || known.last !== index) return linesFor(context, [part]);
      return partsOf(object);
    });
    return sized<ViewEntry>({ ...entry, shows: once(shows) } as ViewEntry, context.source);
  });
}

const nothingSeen: Refreshed = { last: -1, isStale: false, above: [], isAbove: false };

interface Refreshed {
  /** Index of the last content after the cut. */
  readonly last: number;
  /** Whether a content after the cut has an older version, or is a diff whose base may have left the view. */
  readonly isStale: boolean;
  /** Versions that can be read in full from the content that stays unchanged. */
  readonly above: readonly number[];
  /** Whether the newest version is shown before the cut, or as a diff from a version that is. */
  readonly isAbove: boolean;
}

function seen(
  known: Refreshed,
  { version, form, since }: ShownPart,
  { stored }: ActiveObject,
  index: number,
  cut: number,
): Refreshed {
  const isCurrent = version === stored.version;
  const isWhole = index < cut && form === "whole";
  const isReadable = isWhole || (form === "diff" && known.above.includes(since ?? 0));
  if (index < cut || isReadable) {
    const above = isReadable ? [...known.above, version] : known.above;
    return { ...known, above, isAbove: known.isAbove || isCurrent };
  }
  return { ...known, last: index, isStale: known.isStale || !isCurrent || form === "diff" };
}
