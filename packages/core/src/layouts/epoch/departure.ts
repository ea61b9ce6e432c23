import type { Departure } from "../../view/layout.ts";
import { contentParts } from "../../view/view-entry.ts";
import type { ViewRecord } from "../../view/view-record.ts";
import type { EpochSettings } from "./epoch-settings.ts";
import { leastTokens } from "./sweep.ts";

/**
 * Returns what happens to the content of an object when the object becomes inactive. If the view has several contents
 * of the object, some of which stay, the answer is about those that leave.
 */
export function departureOf(
  settings: EpochSettings,
  { entries }: ViewRecord,
  handle: string,
): Departure | undefined {
  let tokens: number | undefined;
  for (const entry of entries) {
    const isBare = entry.type === "result" && entry.form === "bare" && entry.of === handle;
    const isShown = contentParts(entry).some(({ of }) => of === handle);
    if (!isBare && !isShown) continue;
    if (isShown && entry.tokens > leastTokens(settings))
      return { when: settings.deactivate === "immediate" ? "next-call" : "epoch-end" };
    tokens = (tokens ?? 0) + entry.tokens;
  }
  return tokens === undefined ? undefined : { when: "never", tokens };
}
