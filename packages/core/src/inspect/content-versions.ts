import type { JsonValue } from "@self-context-manager/objects";
import type { VersionName } from "../view/describe-entries.ts";
import { readEntryRow } from "../view/entry-row.ts";
import { contentsOf } from "./entry-fill.ts";

/**
 * Returns the versions whose content the stored row of an entry shows. Throws `TypeError` if the row is not an entry.
 */
export function contentVersions(row: JsonValue): readonly VersionName[] {
  return contentsOf(readEntryRow(row)).map(({ of, version }) => ({ handle: of, version }));
}
