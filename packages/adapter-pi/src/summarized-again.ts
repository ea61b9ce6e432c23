import { isOwnSummary } from "./compaction.ts";
import { type BeforeCompactEvent, type Fields, isFields, type PiContext } from "./pi-api.ts";
import { roughTokens } from "./status-line.ts";

/** Pi shows its summarizer no more than about this much of a tool's result, in tokens. */
const resultTokens = 600;

/** How much of the window what came before may fill; the rest is for what Pi summarizes anyway. */
const windowShare = 0.5;

/**
 * Before a compaction that the user asks for: what our own short answers stand for is put back in front of what Pi is
 * about to summarize, so that its summary tells of the real messages and not of our index. Pi hands the same object to
 * its summarizer afterwards. Of more than the window takes, the newest are put back, and our text stays for the rest.
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

/** Where the messages begin that a compaction kept; the beginning without one. */
function keptFrom(entries: readonly Fields[], compaction: Fields | undefined): number {
  if (compaction === undefined) return 0;
  const kept = entries.findIndex(({ id }) => id === compaction["firstKeptEntryId"]);
  return kept === -1 ? entries.indexOf(compaction) + 1 : kept;
}

/** An entry of Pi's session as its summarizer takes it. */
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
