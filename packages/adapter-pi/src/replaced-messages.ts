import type { ManagerSummary } from "@self-context-manager/core/host";

import { isOwnCompaction, isOwnSummary } from "./own-summary.ts";
import { type Fields, isFields } from "./pi-api.ts";
import { isListed } from "./session-messages.ts";

/** The part of a branch that only the adapter's own summaries replaced. */
export interface OwnReplaced {
  /** The messages in Pi's form, in order. */
  readonly messages: readonly Fields[];
  /** The newest compaction before them that is not the adapter's, for example a user's `/compact`. */
  readonly theirs: Fields | undefined;
}

/** Returns what the newest summaries of a branch replaced; no messages if the newest one is not the adapter's. */
export function ownReplaced(branch: readonly unknown[]): OwnReplaced {
  const entries = branch.filter(isFields);
  const newest = entries.findLast(({ type }) => type === "compaction");
  if (!isOwnSummary(newest?.["summary"])) return { messages: [], theirs: newest };
  return messagesBefore(entries, keptFrom(entries, newest));
}

/**
 * Returns the list of a request with the replaced messages instead of the adapter's own summary. A summary of
 * another author before them stays in front of them. A list without a summary of the adapter is returned unchanged.
 */
export function withReplaced(
  messages: readonly unknown[],
  branch: readonly unknown[],
): { readonly messages: readonly unknown[]; readonly replaced: readonly Fields[] } {
  const at = messages.findIndex(
    (message) =>
      isFields(message) &&
      message["role"] === "compactionSummary" &&
      isOwnSummary(message["summary"]),
  );
  const replaced = at === -1 ? [] : replacedMessages(branch);
  if (replaced.length === 0) return { messages, replaced };
  return { messages: messages.toSpliced(at, 1, ...replaced), replaced };
}

/**
 * Returns the adapter's own summaries in a branch. The model has seen them where Pi's own messages were sent.
 */
export function ownSummaries(branch: readonly unknown[]): readonly ManagerSummary[] {
  return branch
    .filter(isFields)
    .filter(isOwnCompaction)
    .map(({ summary, details }) => {
      const own = isFields(details) ? details["self_context_manager"] : undefined;
      const chatId = isFields(own) ? own["chat"] : undefined;
      return { text: String(summary), ...(typeof chatId === "string" ? { chatId } : {}) };
    });
}

/** Returns the replaced messages behind the summary that is in front of them, if there is one of another author. */
export function replacedMessages(branch: readonly unknown[]): readonly Fields[] {
  const { messages, theirs } = ownReplaced(branch);
  if (theirs === undefined) return messages;
  const { summary, tokensBefore } = theirs;
  return [
    { role: "compactionSummary", summary, tokensBefore, timestamp: timeOf(theirs) },
    ...messages,
  ];
}

/** Returns the messages before an entry, from the first one that the newest compaction of another author kept. */
export function messagesBefore(entries: readonly Fields[], end: number): OwnReplaced {
  const theirs = entries
    .filter(({ type }) => type === "compaction")
    .findLast(({ summary }) => !isOwnSummary(summary));
  const edits = new Map(
    entries
      .filter(({ type }) => type === "context_edit")
      .map(({ targetId, replacement }) => [targetId, replacement]),
  );
  const messages = entries
    .slice(keptFrom(entries, theirs), end)
    .flatMap((entry) => edited(messageOf(entry), edits.get(entry["id"])))
    .filter(isListed);
  return { messages, theirs };
}

/** The index of the first entry that a compaction kept; 0 without a compaction. */
function keptFrom(entries: readonly Fields[], compaction: Fields | undefined): number {
  if (compaction === undefined) return 0;
  const kept = entries.findIndex(({ id }) => id === compaction["firstKeptEntryId"]);
  return kept === -1 ? entries.indexOf(compaction) + 1 : kept;
}

/** An entry of Pi's session as the message that Pi makes of it. */
function messageOf(entry: Fields): readonly Fields[] {
  const { type, message } = entry;
  const timestamp = timeOf(entry);
  if (type === "message") return isFields(message) ? [message] : [];
  if (type === "custom_message") {
    const { customType, content, display, details } = entry;
    return [{ role: "custom", customType, content, display, details, timestamp }];
  }
  if (type === "branch_summary") {
    const { summary, fromId } = entry;
    return [{ role: "branchSummary", summary, fromId, timestamp }];
  }
  return [];
}

/** Applies the newest edit of an entry, which releases since 1.0 can have. An edit to null removes the message. */
function edited(messages: readonly Fields[], replacement: unknown): readonly Fields[] {
  if (replacement === null) return [];
  if (!isFields(replacement)) return messages;
  const { content } = replacement;
  return messages.map((message) => {
    const isInBlocks = message["role"] === "assistant" || message["role"] === "toolResult";
    const now =
      isInBlocks && typeof content === "string" ? [{ type: "text", text: content }] : content;
    return message["role"] === "branchSummary" ? message : { ...message, content: now };
  });
}

function timeOf({ timestamp }: Fields): number {
  return typeof timestamp === "string" ? Date.parse(timestamp) : 0;
}
