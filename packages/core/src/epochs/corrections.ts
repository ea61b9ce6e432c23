import { presenceOf } from "../objects/file-object.ts";
import type { ObjectEntry, ViewEntry } from "../views/view-entry.ts";
import { sized, type ViewDraft } from "./view-draft.ts";

/**
 * Lines for files that stand in view and that others deleted, moved or changed since, while they are not active: what
 * the view says of them is no longer so (decision D6). What the agent wrote itself needs none.
 */
export function corrections(
  draft: ViewDraft,
  entries: readonly ViewEntry[],
): readonly ObjectEntry[] {
  const told = new Map<string, number>();
  for (const entry of entries) {
    if (entry.is !== "result" && entry.is !== "object") continue;
    for (const { of, version } of entry.shows ?? [])
      told.set(of, Math.max(version, told.get(of) ?? 0));
  }
  const found: ObjectEntry[] = [];
  for (const [of, version] of told) {
    const known = draft.entryOf(of);
    if (known === undefined || known.stored.version <= version || draft.active.has(of)) continue;
    const { body } = known.stored;
    if (body.type !== "file" && body.type !== "note") continue;
    if (presenceOf(body) !== "missing" && body.provenance.generator === "agent") continue;
    const shows = [{ of, version: known.stored.version, as: "line" as const }];
    found.push(sized<ObjectEntry>({ is: "object", shows }, draft.source));
  }
  return found;
}
