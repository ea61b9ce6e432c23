import type { MissReason, TimelineCall } from "@self-context-manager/core/inspect";
import type { StackKind } from "../figures/call-parts.ts";
import { visibleName } from "./visible-text.ts";

/** The names of the kinds of parts, for legends and tables. */
export const kindNames: Readonly<Record<StackKind, string>> = {
  host: "host (tools, …)",
  system: "system prompts",
  messages: "user and host",
  user: "long texts of the user",
  answers: "model's answers",
  file: "files",
  toolcall: "tool results",
  other: "other objects",
  lines: "context manager",
};

type EpochEnd = NonNullable<NonNullable<TimelineCall["epoch"]>["endedBy"]>;

/** The same words as in the terminal. They are here again because the code of core needs Node. */
const epochEnds: Readonly<Record<EpochEnd, string>> = {
  carried:
    "the cost of sending inactive content again had reached the set share of the cost of a rewrite",
  cold: "the provider's cache was cold, so a rewrite cost nothing extra",
  budget: "the view would have exceeded its budget",
  outputs:
    "the cost of sending long outputs whole again had reached half of the cost of writing again what follows",
  "late-result": "a tool result arrived late",
  returned: "messages that another extension had left out are back",
  unfolded: "the user asked for folded work",
  forgotten: "the user had something forgotten that the view showed",
  compaction: "the chat was compacted or archived",
  thinking: "the model would not have accepted its earlier thinking",
};

/** The reasons that the page can name. */
export const knownEnds: readonly string[] = Object.keys(epochEnds);

/** Why an epoch ended, as the end of a sentence. A reason of a later program stays as it is. */
export function epochEndText(reason: string): string {
  return Object.hasOwn(epochEnds, reason) ? epochEnds[reason as EpochEnd] : visibleName(reason);
}

/** From which size on `CacheMiss` names a miss. */
export const missLimits = {
  named:
    "Only misses of at least 1,000 tokens and a tenth of what was sent before are named, because smaller ones are within the blocks of a cache and the error of an estimate.",
  below:
    "less than 1,000 tokens, or less than a tenth of what was sent before, were billed again as new",
} as const;

const missReasons: Readonly<Record<MissReason, string>> = {
  "never-called": "first call",
  "model-switched": "another model",
  idle: "cache entry expired",
  "epoch-ended": "an epoch ended",
  "system-prompt": "system prompt changed",
  "messages-changed": "earlier messages changed",
  provider: "provider dropped it",
};

/** The reason of a cache miss in a few words. */
export function missText(reason: string): string {
  return Object.hasOwn(missReasons, reason)
    ? missReasons[reason as MissReason]
    : visibleName(reason);
}
