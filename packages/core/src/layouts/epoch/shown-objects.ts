import type { ActiveObject, ShownObject } from "../../view/layout.ts";
import type { ViewEntry } from "../../view/view-entry.ts";
import { wantedParts } from "./deliver.ts";
import { shownParts, type ShownParts } from "./shown-parts.ts";
import type { ViewDraft } from "./view-draft.ts";

/** How each active object is shown in a view. */
export function shownObjects(
  draft: ViewDraft,
  entries: readonly ViewEntry[],
): readonly ShownObject[] {
  const parts = shownParts(entries);
  return draft.input.active.map((object) => ({
    id: object.entry.id,
    as: shownAs(draft, parts, object),
  }));
}

function shownAs(draft: ViewDraft, parts: ShownParts, object: ActiveObject): ShownObject["as"] {
  const { handle } = object.entry;
  if (parts.isBare(handle)) return "whole";
  const shown = parts.of(handle);
  if (shown.length === 0) return "left-out";
  if (wantedParts(draft, parts, object, false).length > 0) return "part";
  const isTrimmed = shown.some(({ as }) => as === "part");
  const hasRest = shown.some(({ as }) => as === "whole" || as === "lines");
  return isTrimmed && !hasRest ? "part" : "whole";
}
