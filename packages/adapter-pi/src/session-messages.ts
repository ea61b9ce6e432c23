import { type Fields, isFields, type PiContext } from "./pi-api.ts";

/** Returns the entries from the first one to the present end of the session; none on a host that does not show them. */
export function branchOf({ sessionManager }: PiContext): readonly unknown[] {
  return sessionManager.getBranch?.() ?? [];
}

/**
 * Returns the message of a session's entry; undefined for an entry without one that an extension could add. Of a summary
 * there are only the fields by which it is recognised.
 */
export function messageIn(entry: unknown): Fields | undefined {
  if (!isFields(entry)) return undefined;
  const { type, message, customType, content } = entry;
  switch (type) {
    case "message":
      return isFields(message) ? message : undefined;
    case "custom_message":
      return { role: "custom", customType, content };
    case "compaction":
      return summaryOf(entry, "compactionSummary");
    default:
      return undefined;
  }
}

/**
 * Returns the messages of which Pi makes its list, in order, before any extension has changed it. Summaries are not among
 * them, and neither are failed answers, which Pi removes when it tries again. Of a summary of another branch there are
 * only the fields by which it is recognised.
 */
export function listedMessages(context: PiContext): readonly Fields[] {
  const branch = branchOf(context).filter(isFields);
  return keptEntries(branch).flatMap((entry) => {
    const isBranch = entry["type"] === "branch_summary";
    const message = isBranch ? summaryOf(entry, "branchSummary") : messageIn(entry);
    return message !== undefined && isListed(message) ? [message] : [];
  });
}

/** Returns the entries that the newest summary of the user's request keeps. */
function keptEntries(branch: readonly Fields[]): readonly Fields[] {
  const at = branch.findLastIndex(({ type }) => type === "compaction");
  if (at === -1) return branch;
  const first = branch[at]?.["firstKeptEntryId"];
  const kept = branch.slice(0, at);
  const from = kept.findIndex(({ id }) => id === first);
  return [...(from === -1 ? [] : kept.slice(from)), ...branch.slice(at + 1)];
}

function summaryOf({ timestamp }: Fields, role: string): Fields | undefined {
  return typeof timestamp === "string" ? { role, timestamp: Date.parse(timestamp) } : undefined;
}

const listedRoles: ReadonlySet<unknown> = new Set([
  "user",
  "assistant",
  "toolResult",
  "custom",
  "bashExecution",
  "branchSummary",
]);

/** Whether Pi's list can have a message. Failed answers leave it when Pi tries again. */
export function isListed({ role, stopReason }: Fields): boolean {
  if (!listedRoles.has(role)) return false;
  return role !== "assistant" || (stopReason !== "error" && stopReason !== "aborted");
}
