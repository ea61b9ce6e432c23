import type { ActiveObject } from "../../view/layout.ts";
import type { ShownPart } from "../../view/view-entry.ts";
import type { ViewDraft } from "./view-draft.ts";

/** All that is wanted of an active object. */
export function partOf({ entry, stored, range }: ActiveObject): ShownPart {
  const part = { of: entry.handle, version: stored.version };
  if (range === undefined) return { ...part, as: "whole" };
  return { ...part, as: "lines", from: range.from, to: range.to };
}

/** The lines of the objects of some parts, each once. */
export function linesFor(draft: ViewDraft, parts: readonly ShownPart[]): readonly ShownPart[] {
  return [...new Set(parts.map(({ of }) => of))].map((of) => ({
    of,
    version: currentVersion(draft, of) ?? parts.find((part) => part.of === of)?.version ?? 1,
    as: "line" as const,
  }));
}

function currentVersion(draft: ViewDraft, handle: string): number | undefined {
  return draft.entryOf(handle)?.stored.version;
}

/** Parts without those that are there already. */
export function once(parts: readonly ShownPart[]): readonly ShownPart[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    const name = JSON.stringify(part);
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}
