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

const epochEnds: Readonly<Record<EpochEnd, string>> = {
  carried: "sending inactive content again had cost its share of a rewrite",
  cold: "the provider's cache held nothing of the session, so a rewrite cost nothing extra",
  budget: "the view had exceeded its budget, or had room again",
  "late-result": "a result arrived after later messages",
  compaction: "the chat was compacted",
  thinking: "signed thinking of the model no longer fitted",
  returned: "messages that the host had left out are back",
};

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
