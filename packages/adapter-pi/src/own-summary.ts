import { isFields } from "./pi-api.ts";

/** Begins each summary of this adapter, because Pi's message of a summary carries no details. */
export const summaryMark = "[self-context-manager]";

/** Whether this adapter wrote the summary, as answer to an automatic compaction. A user's compaction is Pi's own. */
export function isOwnSummary(summary: unknown): boolean {
  return typeof summary === "string" && summary.startsWith(summaryMark);
}

/** Whether an entry of Pi's record is a compaction with this adapter's summary. */
export function isOwnCompaction(entry: unknown): boolean {
  return isFields(entry) && isOwnSummary(entry["summary"]);
}
