import type { ResultEntry, ShownPart, ViewEntry } from "../../view/view-entry.ts";
import { linesFor, once, partOf } from "./parts-for.ts";
import { shownParts, type ShownParts } from "./shown-parts.ts";
import { sized, type ViewDraft } from "./view-draft.ts";

/**
 * A view that says nothing of what stands above and does not stand there any more, from `cut` on: differences whose text
 * has left become lines, and so does "shown above", but for what the last answer asked for, which is shown in its place.
 */
export function truthful(
  draft: ViewDraft,
  entries: readonly ViewEntry[],
  cut: number,
  isUnsent: (index: number) => boolean,
): readonly ViewEntry[] {
  if (!entries.some((entry, index) => index >= cut && tellsOfAbove(entry))) return entries;
  const above = shownParts(entries.slice(0, cut));
  const anywhere = shownParts(entries);
  return entries.map((entry, index) => {
    if (index < cut) return entry;
    const told = tellsOfAbove(entry)
      ? withoutUntrue(
          draft,
          entry,
          above,
          (handle) => isUnsent(index) && anywhere.of(handle).length === 0,
        )
      : entry;
    above.add(told);
    return told;
  });
}

function tellsOfAbove(entry: ViewEntry): boolean {
  if (entry.is !== "result" && entry.is !== "object") return false;
  if (entry.is === "result" && entry.replaces !== undefined) return true;
  return entry.shows?.some(({ as }) => as === "above" || as === "diff") === true;
}

function withoutUntrue(
  draft: ViewDraft,
  entry: ViewEntry,
  above: ShownParts,
  isAsked: (handle: string) => boolean,
): ViewEntry {
  if (entry.is !== "result" && entry.is !== "object") return entry;
  const shows = entry.shows?.flatMap((told): readonly ShownPart[] => {
    const part = toldAbove(draft, told, above);
    const object = draft.active.get(part.of);
    // What is not active is not loaded any more.
    const canBeMade = object !== undefined || part.as === "above" || part.as === "line";
    if (isTrue(part, above) && canBeMade) return [part];
    return object !== undefined && isAsked(part.of) ? [partOf(object)] : linesFor(draft, [part]);
  });
  const { replaces, ...rest } = entry as ResultEntry;
  const isReplaced = replaces !== undefined && hasVersion(above, replaces.of, replaces.above);
  const isSame = shows?.every((part, index) => part === entry.shows?.[index]) !== false;
  if (isSame && (replaces === undefined || isReplaced)) return entry;
  if (rest.as === "bare" && rest.of !== undefined && !draft.active.has(rest.of))
    return sized<ResultEntry>({ ...rest, as: "reference" }, draft.source);
  return sized<ResultEntry>(
    {
      ...rest,
      ...(shows === undefined ? {} : { shows: once(shows) }),
      ...(isReplaced ? { replaces } : {}),
    },
    draft.source,
  );
}

/** "Shown above" names the version that stands there. */
function toldAbove(draft: ViewDraft, part: ShownPart, above: ShownParts): ShownPart {
  const version = above.of(part.of).at(-1)?.version;
  if (part.as !== "above" || version === undefined || hasVersion(above, part.of, part.version))
    return part;
  return draft.source.object(part.of, version) === undefined ? part : { ...part, version };
}

function isTrue({ of, as, since }: ShownPart, above: ShownParts): boolean {
  if (as === "above") return above.isBare(of) || above.of(of).length > 0;
  return as !== "diff" || hasVersion(above, of, since ?? 0);
}

function hasVersion(above: ShownParts, handle: string, version: number): boolean {
  return above.of(handle).some((part) => part.version === version);
}
