import type { SessionStatus } from "@self-context-manager/core";
import { shortName } from "@self-context-manager/core/host";

import { type BeforeCompactEvent, isFields, type PiContext } from "./pi-api.ts";
import { summaryMark } from "./own-summary.ts";
import { messagesBefore } from "./replaced-messages.ts";
import { newestWithin, whatWasSaid } from "./what-was-said.ts";

/** Who asked for the compaction of the host's list. */
export type CompactionKind = "manual" | "threshold" | "overflow";

/** The summary that Pi stores instead of one that it generates itself. */
export interface CompactionAnswer {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details: unknown;
}

/**
 * Distinguishes a user's `/compact` from Pi's automatic compaction. Releases before 0.79.10 do not report the reason.
 * With them the caller's name in the stack shows it, so this runs before the handler's first await.
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

/** The most characters of the lines about the turns. */
const mostOfTurns = 8_000;

/**
 * Answers an automatic compaction from the session's index and the replaced messages, without a model. `turns`: a line for
 * each turn, in order. The view does not show this text; it replaces the earlier messages only when the host sends its
 * own list, and then it is all that the model has of them. Pi finds a compaction by its text, so no two may be equal.
 */
export function compactionAnswer(
  event: BeforeCompactEvent,
  status: SessionStatus,
  workspace: string,
  turns: readonly string[] = [],
): CompactionAnswer {
  const { firstKeptEntryId, tokensBefore } = event.preparation;
  const active = status.objects.filter(({ state }) => state !== "inactive");
  const named = active.slice(-mostNamed).map(({ handle, stored }) => {
    return `${handle} ${shortName(workspace, stored.body)}`;
  });
  const summary = [
    `${summaryMark} The messages before entry ${firstKeptEntryId} (about ${tokensBefore} tokens) are kept in the object chat (${status.chatId}), with ${status.turnCount} turns; activate chat with turn shows one, with from and to its lines.`,
    `${status.objects.length} objects are known; activate shows any of them again.`,
    ...(named.length === 0 ? [] : [`Active: ${named.join(", ")}.`]),
    ...aboutTurns(turns),
    ...saidBefore(event),
  ].join("\n");
  const details = { self_context_manager: { compaction: true, chat: status.chatId } };
  return { summary, firstKeptEntryId, tokensBefore, details };
}

/** Returns the lines about the newest turns, as many as have room. */
function aboutTurns(turns: readonly string[]): readonly string[] {
  const shown = newestWithin(turns, mostOfTurns);
  if (shown.length === 0) return [];
  const left = turns.length - shown.length;
  const title = "The turns, each with the first words of the user and of the answer:";
  return [title, ...(left === 0 ? [] : [`[${left} earlier turns are left out]`]), ...shown];
}

/** Describes the messages before the first kept entry, also those that the adapter's earlier answers replaced. */
function saidBefore({ preparation, branchEntries = [] }: BeforeCompactEvent): readonly string[] {
  const entries = branchEntries.filter(isFields);
  const end = entries.findIndex(({ id }) => id === preparation.firstKeptEntryId);
  if (end !== -1) {
    const { messages, theirs } = messagesBefore(entries, end);
    return whatWasSaid(messages, theirs?.["summary"]);
  }
  const { messagesToSummarize = [], turnPrefixMessages = [], previousSummary } = preparation;
  return whatWasSaid([...messagesToSummarize, ...turnPrefixMessages], previousSummary);
}
