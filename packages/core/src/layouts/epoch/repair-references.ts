import {
  isCounted,
  isNaming,
  type ResultEntry,
  type ShownPart,
  type ViewEntry,
} from "../../view/view-entry.ts";
import { sized } from "./entry-messages.ts";
import type { PlanningContext } from "./planning-context.ts";
import {
  currentVersion,
  linesFor,
  once,
  partsOf,
  shownParts,
  type ShownParts,
} from "./shown-parts.ts";

/**
 * Returns a view in which no entry from `cut` on refers to content above that is no longer there. A line replaces a
 * diff whose base has left the view, and a "shown above" without content. An object that the last answer asked for is
 * shown in full instead.
 */
export function repairReferences(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  cut: number,
  isUnsent: (index: number) => boolean,
): readonly ViewEntry[] {
  if (!entries.some((entry, index) => index >= cut && refersAbove(entry))) return entries;
  const above = shownParts(entries.slice(0, cut));
  const anywhere = shownParts(entries);
  return entries.map((entry, index) => {
    if (index < cut) return entry;
    const repaired = refersAbove(entry)
      ? withoutDangling(
          context,
          entry,
          above,
          (handle) => isUnsent(index) && anywhere.of(handle).length === 0,
        )
      : entry;
    above.add(repaired);
    return repaired;
  });
}

function refersAbove(entry: ViewEntry): boolean {
  if (entry.type !== "result" && entry.type !== "object") return false;
  if (entry.type === "result" && entry.replaces !== undefined) return true;
  return entry.shows?.some(({ form }) => form === "above" || form === "diff") === true;
}

function withoutDangling(
  context: PlanningContext,
  entry: ViewEntry,
  above: ShownParts,
  isAsked: (handle: string) => boolean,
): ViewEntry {
  if (entry.type !== "result" && entry.type !== "object") return entry;
  const shows = entry.shows?.flatMap((shown): readonly ShownPart[] => {
    const part = withVersionAbove(context, shown, above);
    const object = context.active.get(part.of);
    // The content of an inactive object is not loaded.
    const isLine = part.form === "above" || isNaming(part) || isCounted(part);
    const canBeMade = object !== undefined || isLine;
    if (isResolved(part, above) && canBeMade) return [withCut(part, above)];
    return object !== undefined && isAsked(part.of) ? partsOf(object) : linesFor(context, [part]);
  });
  const { replaces, ...rest } = entry as ResultEntry;
  const isReplaced = replaces !== undefined && hasVersion(above, replaces.of, replaces.above);
  const isSame = shows?.every((part, index) => part === entry.shows?.[index]) !== false;
  if (isSame && (replaces === undefined || isReplaced)) return entry;
  if (rest.form === "bare" && rest.of !== undefined && !context.active.has(rest.of)) {
    const version = currentVersion(context, rest.of);
    const newest = version === undefined ? rest : { ...rest, version };
    return sized<ResultEntry>({ ...newest, form: "reference" }, context.source);
  }
  return sized<ResultEntry>(
    {
      ...rest,
      ...(shows === undefined ? {} : { shows: once(shows) }),
      ...(isReplaced ? { replaces } : {}),
    },
    context.source,
  );
}

/** Returns a part in which "shown above" names the version that is above. */
function withVersionAbove(context: PlanningContext, part: ShownPart, above: ShownParts): ShownPart {
  const version = above.of(part.of).at(-1)?.version;
  if (part.form !== "above" || version === undefined || hasVersion(above, part.of, part.version))
    return part;
  return context.source.object(part.of, version) === undefined ? part : { ...part, version };
}

/** Returns a "shown above" that says so if only a part of the content is above. */
function withCut(part: ShownPart, above: ShownParts): ShownPart {
  if (part.form !== "above" || part.cut === true || above.isBare(part.of)) return part;
  const { of, version, from, to = Infinity } = part;
  const shown = above.of(of);
  const isAll = shown.some(
    (one) =>
      one.form === "whole" ||
      one.form === "diff" ||
      (from !== undefined && (one.from ?? Infinity) <= from && to <= (one.to ?? -1)),
  );
  const isCut = !isAll && shown.some(({ cut }) => cut === true);
  return isCut ? { of, version, form: "above", cut: true } : part;
}

function isResolved({ of, form, since }: ShownPart, above: ShownParts): boolean {
  if (form === "above") return above.isBare(of) || above.of(of).length > 0;
  return form !== "diff" || hasVersion(above, of, since ?? 0);
}

function hasVersion(above: ShownParts, handle: string, version: number): boolean {
  return above.of(handle).some((part) => part.version === version);
}
