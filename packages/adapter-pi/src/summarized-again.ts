import { isOwnSummary } from "./own-summary.ts";
import { type BeforeCompactEvent, type Fields, isFields, type PiContext } from "./pi-api.ts";
import { ownReplaced } from "./replaced-messages.ts";

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
  const { messages, theirs } = ownReplaced(branchEntries);
  const limit = (context.model?.contextWindow ?? 0) * windowShare;
  const fitting = newestWithin(messages, limit === 0 ? Number.POSITIVE_INFINITY : limit);
  messagesToSummarize.unshift(...fitting);
  if (fitting.length < messages.length) return;
  const earlier = theirs?.["summary"];
  preparation.previousSummary = typeof earlier === "string" ? earlier : undefined;
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

/** Typical tokens of an image. */
const imageTokens = 1_200;

/** Estimates tokens by four characters a token. */
function roughTokens(messages: readonly unknown[]): number {
  let characters = 0;
  let images = 0;
  for (const message of messages) {
    const content = isFields(message) ? message["content"] : undefined;
    if (typeof content === "string") characters += content.length;
    if (!Array.isArray(content)) continue;
    for (const block of content) {
      if (!isFields(block)) continue;
      if (block["type"] === "image") images += 1;
      for (const text of [block["text"], block["thinking"]]) {
        if (typeof text === "string") characters += text.length;
      }
      const args = block["arguments"];
      if (!isFields(args)) continue;
      for (const value of Object.values(args)) {
        if (typeof value === "string") characters += value.length;
      }
    }
  }
  return Math.ceil(characters / 4) + images * imageTokens;
}
