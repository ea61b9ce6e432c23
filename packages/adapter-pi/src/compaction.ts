import { type SessionStatus, shortName } from "@self-context-manager/core";

import { type BeforeCompactEvent, isFields, type PiContext } from "./pi-api.ts";

/** Who wants the host's list of messages shortened. */
export type CompactionKind = "manual" | "threshold" | "overflow";

/** What Pi stores in the place of a summary of its own. */
export interface CompactionAnswer {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details: unknown;
}

/** Begins each summary of ours, because Pi's message of it carries no details. */
const summaryMark = "[self-context-manager]";

/** Whether a summary is one that this adapter answered, and not one that a user asked for (decision D53). */
export function isOwnSummary(summary: unknown): boolean {
  return typeof summary === "string" && summary.startsWith(summaryMark);
}

/**
 * Tells a user's `/compact` from Pi's own. Releases before 0.79.10 do not say: there the caller's name in the stack
 * does, so this runs before the handler's first await.
 */
export function compactionKind(event: BeforeCompactEvent, context: PiContext): CompactionKind {
  if (event.reason !== undefined) return event.reason;
  const { settings, tokensBefore } = event.preparation;
  if (event.customInstructions !== undefined || settings?.enabled === false) return "manual";
  const isOverflow = lastStopReason(event) === "error";
  const automatic = isOverflow ? "overflow" : "threshold";
  const stack = new Error("who asks").stack ?? "";
  if (stack.includes("AgentSession._runAutoCompaction")) return automatic;
  if (stack.includes("AgentSession.compact")) return "manual";
  const limit = (context.model?.contextWindow ?? 0) - (settings?.reserveTokens ?? 0);
  return isOverflow || tokensBefore > limit ? automatic : "manual";
}

function lastStopReason(event: BeforeCompactEvent): unknown {
  const last: unknown = event.branchEntries?.at(-1);
  const message = isFields(last) ? last["message"] : undefined;
  return isFields(message) ? message["stopReason"] : undefined;
}

const mostNamed = 20;

/**
 * Answers an automatic compaction from our index, without a model. The view does not show this text: it stands for the
 * earlier messages only where the host's own list goes to the model. Pi looks a compaction up by its text, so no two
 * may be equal.
 */
export function compactionAnswer(
  event: BeforeCompactEvent,
  status: SessionStatus,
  workspace: string,
): CompactionAnswer {
  const { firstKeptEntryId, tokensBefore } = event.preparation;
  const active = status.objects.filter(({ state }) => state !== "inactive");
  const named = active.slice(-mostNamed).map(({ handle, stored }) => {
    return `${handle} ${shortName(workspace, stored.body)}`;
  });
  const summary = [
    `${summaryMark} The messages before entry ${firstKeptEntryId} (about ${tokensBefore} tokens) are kept in the object chat (${status.chatId}), with ${status.turnCount} turns; activate chat with from and to shows its lines.`,
    `${status.objects.length} objects are known and stay one activate away.`,
    ...(named.length === 0 ? [] : [`Active: ${named.join(", ")}.`]),
  ].join("\n");
  const details = { self_context_manager: { compaction: true, chat: status.chatId } };
  return { summary, firstKeptEntryId, tokensBefore, details };
}
