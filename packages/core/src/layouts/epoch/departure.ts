import type { Departure } from "../../view/layout.ts";
import type { MessagePlace } from "../../view/left-out-rows.ts";
import { contentParts, type ViewEntry } from "../../view/view-entry.ts";
import type { ViewRecord } from "../../view/view-record.ts";
import type { EpochSettings } from "./epoch-settings.ts";
import { leastTokens } from "./leaving.ts";

/**
 * Returns what happens to the content of an object when the object becomes inactive. If the view has several contents
 * of the object, some of which stay, the answer is about those that leave, and reports that others may stay.
 */
export function departureOf(
  settings: EpochSettings,
  { entries, turns }: ViewRecord,
  handle: string,
  changes: readonly MessagePlace[],
): Departure | undefined {
  let tokens: number | undefined;
  let leaves = false;
  let isNewest = false;
  for (const entry of entries) {
    const isBare = entry.type === "result" && entry.form === "bare" && entry.of === handle;
    const isShown = contentParts(entry).some(({ of }) => of === handle);
    if (!isBare && !isShown) continue;
    isNewest ||= entry.type === "user" && entry.turn === turns - 1;
    if (isShown && entry.tokens > leastTokens(settings)) leaves = true;
    else tokens = (tokens ?? 0) + entry.tokens;
  }
  if (!leaves) return tokens === undefined ? undefined : { when: "never", tokens };
  // A text of the newest user message stays until another message is the newest.
  const when = settings.deactivate === "immediate" && !isNewest ? "next-call" : "epoch-end";
  const mayStay = tokens !== undefined || entries.some((entry) => hasOneOf(entry, changes));
  return mayStay ? { when, mayStay } : { when };
}

/** Whether an entry shows one of some calls. Argument stubs replace only long texts in its arguments. */
function hasOneOf(entry: ViewEntry, calls: readonly MessagePlace[]): boolean {
  return (
    entry.type === "assistant" &&
    calls.some(({ turn, step }) => turn === entry.turn && step === entry.step)
  );
}
