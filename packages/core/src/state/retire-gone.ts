import { collectReferences, type ObjectId, presenceOf } from "@self-context-manager/objects";
import { describeEntries, namedVersions } from "../view/describe-entries.ts";
import type { ViewEntry } from "../view/view-entry.ts";
import type { SessionState } from "./session-state.ts";

/**
 * Takes deleted files out of the pool that nothing in a view refers to: neither an entry, nor an object that the view names,
 * nor a document that is active or in view. Active and pinned objects stay, and so does one with a nickname. The model
 * cannot see that such an object left. Its handle still names it, and is given to no other object.
 */
export function retireGone(state: SessionState, entries: readonly ViewEntry[]): void {
  const { pool, active } = state;
  const gone = [...pool.entries.values()].filter(
    ({ id, stored: { body } }) =>
      presenceOf(body) === "missing" && body.nickname === undefined && !active.has(id),
  );
  if (gone.length === 0) return;
  const shown = shownHandles(entries);
  const referred = new Set<ObjectId>();
  for (const { id, handle, stored } of pool.entries.values()) {
    if (!shown.has(handle) && !active.has(id)) continue;
    for (const { reference } of collectReferences(stored.body)) referred.add(reference.id);
  }
  const isLinked = (document: string | undefined): boolean => {
    const id = document === undefined ? undefined : pool.handles.get(document);
    return id !== undefined && document !== undefined && (shown.has(document) || active.has(id));
  };
  pool.retire(
    gone
      .filter(
        ({ id, handle, row }) => !shown.has(handle) && !referred.has(id) && !isLinked(row.linked),
      )
      .map(({ id }) => id),
  );
}

/** The handles that entries of a view name. */
function shownHandles(entries: readonly ViewEntry[]): ReadonlySet<string> {
  const shown = new Set<string>();
  for (const { handle } of namedVersions(describeEntries(entries)).values()) shown.add(handle);
  for (const entry of entries)
    if (entry.type === "assistant") for (const handle of entry.fold?.names ?? []) shown.add(handle);
  return shown;
}
