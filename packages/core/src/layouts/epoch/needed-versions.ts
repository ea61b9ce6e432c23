import type { ActiveObject } from "../../view/layout.ts";
import type { ShownPart, ViewEntry } from "../../view/view-entry.ts";
import type { ViewRecord } from "../../view/view-record.ts";
import { isRendered } from "./view-draft.ts";

/**
 * The versions that an epoch needs to go on: every content in view, because an end can show it in another way, and what
 * is not rendered yet in this process. That they are the same whatever was rendered before is what makes a resumed
 * session decide as one that went on.
 */
export function neededVersions(
  record: ViewRecord,
  active: readonly ActiveObject[],
  isLatest: (handle: string, version: number) => boolean = () => false,
): readonly string[] {
  const names = new Set<string>();
  const addLine = (handle: string, version: number): void => {
    if (!isLatest(handle, version)) names.add(`${handle}@${version}`);
  };
  for (const entry of record.entries) {
    const isNew = !isRendered(entry);
    const isBare = entry.is === "result" && entry.as === "bare" && entry.replaces !== undefined;
    if ((isNew || isBare) && entry.is === "result" && entry.of !== undefined) {
      if (entry.as === "reference") addLine(entry.of, entry.version ?? 1);
      else names.add(`${entry.of}@${entry.version ?? 1}`);
    }
    for (const part of partsOf(entry)) {
      if (part.as === "line" || part.as === "above") {
        if (isNew) addLine(part.of, part.version);
        continue;
      }
      names.add(`${part.of}@${part.version}`);
      if (part.since !== undefined) names.add(`${part.of}@${part.since}`);
    }
  }
  for (const { entry, stored } of active) names.delete(`${entry.handle}@${stored.version}`);
  return [...names];
}

function partsOf(entry: ViewEntry): readonly ShownPart[] {
  return entry.is === "result" || entry.is === "object" ? (entry.shows ?? []) : [];
}
