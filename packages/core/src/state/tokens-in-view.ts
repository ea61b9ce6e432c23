import { groupsOf, madeOnce } from "@self-context-manager/objects";
import { handlesShown, type ViewEntry } from "../view/view-entry.ts";
import type { ViewRecord } from "../view/view-record.ts";

const known = new WeakMap<ViewRecord, ReadonlyMap<string, number>>();

const groups = new WeakMap<readonly ViewEntry[], ReadonlyMap<string, number>>();

function tokensShown(group: readonly ViewEntry[]): ReadonlyMap<string, number> {
  const tokens = new Map<string, number>();
  for (const entry of group)
    for (const handle of handlesShown([entry]))
      tokens.set(handle, (tokens.get(handle) ?? 0) + entry.tokens);
  return tokens;
}

/**
 * Returns the estimated tokens of the messages that show content of each object, by handle. The map is empty
 * for a layout whose records have no entries.
 */
export function tokensInView(record: ViewRecord | undefined): ReadonlyMap<string, number> {
  if (record === undefined) return new Map();
  const counted = known.get(record);
  if (counted !== undefined) return counted;
  const tokens = new Map<string, number>();
  for (const group of groupsOf(record.entries))
    for (const [handle, count] of madeOnce(groups, group, tokensShown))
      tokens.set(handle, (tokens.get(handle) ?? 0) + count);
  known.set(record, tokens);
  return tokens;
}
