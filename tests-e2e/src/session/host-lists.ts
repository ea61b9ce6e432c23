import type { Message } from "@self-context-manager/core";

/** The time of the newest message of a host. */
export interface HostTime {
  time: number;
}

/** Returns a host's list after a compaction: a summary and the last messages. */
export function compacted(
  messages: readonly Message[],
  keep: number,
  from: HostTime,
  isFromManager = true,
): Message[] {
  from.time += 1;
  const summary: Message = {
    role: "summary",
    kind: "compactionSummary",
    raw: { role: "compactionSummary", summary: `all of ${messages.length}` },
    isFromManager,
    timestamp: from.time,
  };
  const kept = messages.slice(-keep - 1);
  const start = kept.findIndex(({ role }) => role === "user" || role === "assistant");
  return [summary, ...(start === -1 ? [] : kept.slice(start))];
}

/** Returns a host's list after the user went back and wrote another prompt. */
export function branched(messages: readonly Message[], keep: number, from: HostTime): Message[] {
  from.time += 1;
  const kept = messages.slice(0, Math.max(1, messages.length - keep));
  return [...kept, { role: "user", content: `branch at ${from.time}`, timestamp: from.time }];
}
