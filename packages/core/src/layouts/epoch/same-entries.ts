import { entryRow } from "../../view/entry-row.ts";
import type { ViewEntry } from "../../view/view-entry.ts";

/** Returns the index of the first entry that differs from the view before, or the number of entries if none differs. */
export function firstChange(before: readonly ViewEntry[], now: readonly ViewEntry[]): number {
  const index = now.findIndex((entry, at) => entry !== before[at]);
  return index === -1 ? now.length : index;
}

/** Returns the index of the first entry that the model has not answered: what is behind its newest answer. */
export function firstUnsent(entries: readonly ViewEntry[]): number {
  return entries.findLastIndex(({ type }) => type === "assistant") + 1;
}

/** Returns the index of the first entry that gives another message than in the view before. */
export function firstOther(before: readonly ViewEntry[], now: readonly ViewEntry[]): number {
  const index = now.findIndex((entry, at) => rowOf(entry) !== rowOf(before[at]));
  return index === -1 ? now.length : index;
}

function rowOf(entry: ViewEntry | undefined): string {
  return JSON.stringify(entry === undefined ? null : entryRow(entry));
}
