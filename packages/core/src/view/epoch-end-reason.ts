import type { EpochEnd } from "./layout.ts";

const reasons: Readonly<Record<EpochEnd, string>> = {
  carried:
    "the cost of sending inactive content again had reached the set share of the cost of a rewrite",
  outputs:
    "the cost of sending long outputs whole again had reached half of the cost of writing again what follows",
  cold: "the provider's cache was cold, so a rewrite cost nothing extra",
  budget: "the view would have exceeded its budget",
  "late-result": "a tool result arrived late",
  returned: "messages that another extension had left out are back",
  unfolded: "the user asked for folded work",
  forgotten: "the user had something forgotten that the view showed",
  compaction: "the chat was compacted or archived",
  thinking: "the model would not have accepted its earlier thinking",
};

/** Returns why an epoch ended, as the end of a sentence; a reason that this program does not know stays as it is. */
export function epochEndReason(endedBy: string): string {
  return Object.hasOwn(reasons, endedBy) ? reasons[endedBy as EpochEnd] : endedBy;
}
