import type { ActiveObject } from "../layout/layout.ts";
import type { ShownPart, ViewEntry } from "../views/view-entry.ts";
import type { ViewRecord } from "../views/view-record.ts";
import { isRendered } from "./view-draft.ts";

/**
 * The versions that an epoch needs to go on: of what is in view and not rendered yet in this process, and of active files
 * the versions in view, to tell what changed.
 */
export function neededVersions(
  record: ViewRecord,
  active: readonly ActiveObject[],
): readonly string[] {
  const current = new Map(active.map(({ entry, stored }) => [entry.handle, stored.version]));
  const names = new Set<string>();
  for (const entry of record.entries) {
    const parts = partsOf(entry);
    if (!isRendered(entry)) {
      if (entry.is === "result" && entry.of !== undefined)
        names.add(`${entry.of}@${entry.version ?? 1}`);
      for (const part of parts) {
        names.add(`${part.of}@${part.version}`);
        if (part.since !== undefined) names.add(`${part.of}@${part.since}`);
      }
    }
    for (const { of, version } of parts) {
      const now = current.get(of);
      if (now !== undefined && now !== version) names.add(`${of}@${version}`);
    }
  }
  for (const { entry, stored } of active) names.delete(`${entry.handle}@${stored.version}`);
  return [...names];
}

function partsOf(entry: ViewEntry): readonly ShownPart[] {
  return entry.is === "result" || entry.is === "object" ? (entry.shows ?? []) : [];
}
