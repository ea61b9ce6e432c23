import { handlesShown } from "../view/view-entry.ts";
import type { ViewRecord } from "../view/view-record.ts";

const known = new WeakMap<ViewRecord, ReadonlyMap<string, number>>();

/**
 * Returns the estimated tokens of the messages that show content of each object, by handle. The map is empty
 * for a layout whose records have no entries.
 */
export function tokensInView(record: ViewRecord | undefined): ReadonlyMap<string, number> {
  if (record === undefined) return new Map();
  const counted = known.get(record);
  if (counted !== undefined) return counted;
  const tokens = new Map<string, number>();
  for (const entry of record.entries) {
    for (const handle of handlesShown([entry]))
      tokens.set(handle, (tokens.get(handle) ?? 0) + entry.tokens);
  }
  known.set(record, tokens);
  return tokens;
}
