import type { TimelineCall } from "@self-context-manager/core/inspect";

/** Something that happened at a call, by the index of the call. */
export interface CallMark {
  readonly index: number;
  readonly type: "epoch" | "miss" | "damaged";
  /** A word for the picture. */
  readonly label: string;
}

/** The ends of epochs, cache misses and damaged calls of a session, in order. */
export function callMarks(calls: readonly TimelineCall[]): readonly CallMark[] {
  const marks: CallMark[] = [];
  let epoch = calls[0]?.epoch?.number;
  for (const [index, call] of calls.entries()) {
    if (call.epoch !== undefined && call.epoch.number !== epoch) {
      marks.push({ index, type: "epoch", label: call.epoch.endedBy ?? "" });
      epoch = call.epoch.number;
    }
    if (call.miss !== undefined && call.miss.tokens > 0)
      marks.push({ index, type: "miss", label: call.miss.reason });
    if (call.problem !== undefined) marks.push({ index, type: "damaged", label: "damaged" });
  }
  return marks;
}
