import { isOwnSummary } from "./compaction.ts";
import { type BeforeCompactEvent, type Fields, isFields, type PiContext } from "./pi-api.ts";
import { roughTokens } from "./status-line.ts";

/** About as many tokens of one tool result as Pi shows to its summarizer. */
const resultTokens = 600;

/**
 * The share of the context window that earlier messages may fill; the rest is for the messages that Pi summarizes
 * anyway.
 */
const windowShare = 0.5;

/**
 * Before a compaction that the user asks for, puts the messages that the adapter's own summaries replaced back in front
 * of the messages that Pi is about to summarize. Pi's summary then describes the real messages and not the adapter's
 * index. Pi passes the same object to its summarizer afterwards. If the messages exceed their share of the window, only
 * the newest are put back, and the adapter's summary stays for the rest.
 */
export function summarizeAgain(event: BeforeCompactEvent, context: PiContext): void {
  const { preparation, branchEntries = [] } = event;
  const { messagesToSummarize, previousSummary } = preparation;
  if (!Array.isArray(messagesToSummarize) || !isOwnSummary(previousSummary)) return;
  const entries = branchEntries.filter(isFields);
  const compactions = entries.filter(({ type }) => type === "compaction");
  const theirs = compactions.findLast(({ summary }) => !isOwnSummary(summary));
  const answered = entries.slice(keptFrom(entries, theirs), keptFrom(entries, compactions.at(-1)));
  const messages = answered.flatMap(messageOf);
  const limit = (context.model?.contextWindow ?? 0) * windowShare;
  const fitting = newestWithin(messages, limit === 0 ? Number.POSITIVE_INFINITY : limit);
  messagesToSummarize.unshift(...fitting);
  if (fitting.length < messages.length) return;
  const earlier = theirs?.["summary"];
  preparation.previousSummary = typeof earlier === "string" ? earlier : undefined;
}

/** The index of the first entry that a compaction kept; 0 without a compaction. */
function keptFrom(entries: readonly Fields[], compaction: Fields | undefined): number {
  if (compaction === undefined) return 0;
  const kept = entries.findIndex(({ id }) => id === compaction["firstKeptEntryId"]);
  return kept === -1 ? entries.indexOf(compaction) + 1 : kept;
}

/** An entry of Pi's session in the form that its summarizer accepts. */
function messageOf(entry: Fields): readonly Fields[] {
  const { type, message, timestamp: time } = entry;
  const timestamp = typeof time === "string" ? Date.parse(time) : 0;
  if (type === "message") return isFields(message) && message["role"] !== "system" ? [message] : [];
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

function newestWithin(messages: readonly Fields[], limit: number): readonly Fields[] {
  let tokens = 0;
  const first = messages.findLastIndex((message) => {
    const all = roughTokens([message]);
    tokens += message["role"] === "toolResult" ? Math.min(all, resultTokens) : all;
    return tokens > limit;
  });
  return messages.slice(first + 1);
}
