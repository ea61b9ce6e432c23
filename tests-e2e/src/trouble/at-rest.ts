import { setTimeout as pause } from "node:timers/promises";

import type { PiSdk, PiSdkEvent } from "../pi-sdk.ts";
import type { PiVersion } from "../pi-versions.ts";

/**
 * The time that 0.73.1 may need from the failure of a run to the begin of its compaction. It resolves the prompt before
 * that, and has no event for the rest after it.
 */
const graceMs = 300;

/** Waits until a release that does not settle has compacted and repeated a run that failed. */
export async function atRest(pi: PiVersion, sdk: PiSdk, deadlineMs: number): Promise<void> {
  if (pi.settles || !hasFailed(sdk)) return;
  const began = Date.now();
  let quietSince = began;
  while (Date.now() - quietSince < graceMs) {
    if (Date.now() - began > deadlineMs) throw new Error(`Pi ${pi.version} did not come to rest`);
    await pause(20);
    if (sdk.session.isStreaming || isBetween(sdk.events)) quietSince = Date.now();
  }
}

/** Whether the last message is no final answer. Before a repetition, 0.73.1 removes the failed one from its list. */
function hasFailed({ session }: PiSdk): boolean {
  const last: unknown = session.messages.at(-1);
  const isObject = typeof last === "object" && last !== null;
  return !(isObject && "stopReason" in last && last.stopReason === "stop");
}

/** Whether a compaction runs, or a repetition is about to begin. */
function isBetween(events: readonly PiSdkEvent[]): boolean {
  const last = events.findLast(({ type }) => phases.has(type));
  return (
    last?.type === "compaction_start" ||
    (last?.type === "compaction_end" && "willRetry" in last && last.willRetry === true)
  );
}

const phases: ReadonlySet<string> = new Set(["agent_start", "compaction_start", "compaction_end"]);
