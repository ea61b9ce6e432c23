import { lineCount, type LineRange } from "@self-context-manager/objects";
import { fileReferences } from "../../calls/toolcall-object.ts";
import { type Block, isText } from "../../chat/message.ts";
import type { UseKey } from "../../policy/activation-policy.ts";
import { shorterDifference } from "../../render/text-difference.ts";
import type { ActiveObject, ShownObject } from "../../view/layout.ts";
import type { PoolEntry } from "../../view/pool-entry.ts";
import { type ShownParts, shownParts } from "../../view/shown-parts.ts";
import type { ObjectEntry, ShownPart, ViewEntry } from "../../view/view-entry.ts";
import { fixedTypes } from "../../view/fixed-types.ts";
import type { PlanningContext } from "./planning-context.ts";

/** Returns the parts that must be added so that an active object is in view as requested; empty if it is. */
export function wantedParts(
  context: PlanningContext,
  parts: ShownParts,
  object: ActiveObject,
  isAnswer: boolean,
): readonly ShownPart[] {
  const { entry, stored, ranges } = object;
  const of = entry.handle;
  const { version } = stored;
  const shown = parts.of(of);
  const content = stored.body.content ?? "";
  const current = fixedTypes.has(stored.body.type)
    ? shown
    : shown.filter((part) => hasContentOf(context, part, object));
  const isThere =
    parts.isBare(of) || current.some(({ form }) => form === "whole" || form === "diff");
  // Lines come without the images. They are shown again with the images if everything is requested.
  const isWithoutImages =
    !isThere &&
    ranges === undefined &&
    hasFileBlocks(object) &&
    current.every(({ form }) => form === "lines");
  const missing = isThere ? [] : missingRanges(ranges, current, lineCount(content));
  if (missing.length === 0 && !isWithoutImages) {
    return isAnswer ? requestedParts(object, "above", "above") : [];
  }
  if (!isAnswer && parts.isScarce(of)) return [];
  // A pinned content is shown whole again if only the budget did not allow that.
  const isTrimmed = current.some(
    ({ form, forBudget }) => form === "part" && !(object.isPinned && forBudget === true),
  );
  if (isTrimmed && object.isAsked !== true && !isAnswer) return [];
  const base = shown.findLast(({ form }) => form === "whole" || form === "diff");
  const isOlder = base !== undefined && base.version < version;
  // A diff needs the older version in view, so it is not used if replaced versions leave at once.
  const leans = isOlder && ranges === undefined && context.settings.superseded === "at-epoch-end";
  // The model's own changes are in its calls. A version by anybody else is not.
  const made = (): number => versionsMade(context, entry, parts.changesOf(of));
  if (leans && !isAnswer && made() >= version - base.version) return [];
  if (leans && stored.body.content !== null) {
    const difference = differencePart(context, object, base.version);
    if (difference !== undefined) return [difference];
  }
  const isEverything = ranges === undefined && current.length === 0;
  if (isEverything || isWithoutImages || stored.body.content === null)
    return [{ of, version, form: "whole" }];
  return missing.map(({ from, to }) => ({ of, version, form: "lines" as const, from, to }));
}

/** Returns the parts for everything that is requested of an active object: all of it in a form, or its lines in one. */
export function requestedParts(
  { entry, stored, ranges }: ActiveObject,
  all: "whole" | "above",
  some: "lines" | "above",
): readonly ShownPart[] {
  const part = { of: entry.handle, version: stored.version };
  if (ranges === undefined) return [{ ...part, form: all }];
  return ranges.map(({ from, to }) => ({ ...part, form: some, from, to }));
}

/** Whether a part shows the content of an object. A version with another name only has the same content. */
function hasContentOf(
  { source }: PlanningContext,
  { of, version }: ShownPart,
  { stored }: ActiveObject,
): boolean {
  if (version === stored.version) return true;
  const shown = source.object(of, version)?.stored;
  return shown?.hashes.content_hash === stored.hashes.content_hash;
}

function differencePart(
  context: PlanningContext,
  { entry, stored }: ActiveObject,
  since: number,
): ShownPart | undefined {
  const before = context.source.object(entry.handle, since)?.stored.body.content;
  const after = stored.body.content;
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  if (shorterDifference(before, after) === undefined) return undefined;
  return { of: entry.handle, version: stored.version, form: "diff", since };
}

/** Returns the lines of the ranges, or of the whole content, that no part shows. */
function missingRanges(
  ranges: readonly LineRange[] | undefined,
  shown: readonly ShownPart[],
  lines: number,
): readonly LineRange[] {
  let missing = ranges ?? [{ from: 1, to: Math.max(1, lines) }];
  for (const part of shown) {
    if (part.form !== "lines") continue;
    const from = part.from ?? 1;
    const to = part.to ?? lines;
    missing = missing.flatMap((rest) =>
      [
        { from: rest.from, to: Math.min(rest.to, from - 1) },
        { from: Math.max(rest.from, to + 1), to: rest.to },
      ].filter((piece) => piece.from <= piece.to),
    );
  }
  return missing;
}

/**
 * Returns entries for active objects that no result shows: the user activated them, others changed them, or a rewind
 * restored them.
 */
export function missingObjects(
  context: PlanningContext,
  parts: ShownParts,
): readonly ObjectEntry[] {
  return context.input.active
    .map((object) => wantedParts(context, parts, object, false))
    .filter((shows) => shows.length > 0)
    .map((shows) => context.sized({ type: "object", shows }));
}

/** Returns the active objects of which a view does not show everything that was asked for. */
export function scarceObjects(
  context: PlanningContext,
  entries: readonly ViewEntry[],
): readonly UseKey[] {
  const parts = shownParts(entries);
  return context.input.active
    .filter((object) => wantedParts(context, parts, object, false).length > 0)
    .map(({ entry }) => entry.handle);
}

/** Returns how many versions of a file calls made. A call that changed nothing refers to the version that was there. */
function versionsMade(
  context: PlanningContext,
  { id }: PoolEntry,
  calls: readonly string[],
): number {
  const made = new Set<number>();
  for (const call of calls) {
    for (const reference of fileReferences(context.entryOf(call)?.stored.body))
      if (reference.id === id && reference.ref === "static") made.add(reference.tx_id);
  }
  return made.size;
}

/** Whether an object has images or other files beside its text. */
export function hasFileBlocks({ stored }: ActiveObject): boolean {
  const blocks = stored.body["blocks"];
  return Array.isArray(blocks) && (blocks as readonly Block[]).some((block) => !isText(block));
}

/** Returns how each active object is shown in a view. */
export function shownObjects(
  context: PlanningContext,
  entries: readonly ViewEntry[],
): readonly ShownObject[] {
  const parts = shownParts(entries);
  return context.input.active.map((object) => ({
    id: object.entry.id,
    form: shownAs(context, parts, object),
  }));
}

function shownAs(
  context: PlanningContext,
  parts: ShownParts,
  object: ActiveObject,
): ShownObject["form"] {
  const { handle } = object.entry;
  if (parts.isBare(handle)) return "whole";
  const shown = parts.of(handle);
  if (shown.length === 0) return "left-out";
  if (wantedParts(context, parts, object, false).length > 0) return "part";
  const isTrimmed = shown.some(({ form }) => form === "part");
  const count = lineCount(object.stored.body.content ?? "");
  const hasRest =
    shown.some(({ form }) => form === "whole") ||
    missingRanges(object.ranges, shown, count).length === 0;
  return isTrimmed && !hasRest ? "part" : "whole";
}
