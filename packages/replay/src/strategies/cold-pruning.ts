import type { ActiveObject, LayoutInput, ShownPart } from "@self-context-manager/core/layout";
import type { Block, ObjectId } from "@self-context-manager/core";

import { prefixTokens } from "../measure/tokens.ts";
import { type InlineMessage, placeholderTokens } from "./inline-message.ts";

/** The defaults of OpenClaw's `contextPruning` with `mode: "cache-ttl"`, from its documentation. */
const defaults = {
  window: 200_000,
  keptAnswers: 3,
  softTrimRatio: 0.3,
  hardClearRatio: 0.5,
  leastPrunable: 50_000,
  trim: { over: 4000, head: 1500, tail: 1500 },
} as const;

/** Characters for each token, as OpenClaw estimates them. */
const charactersPerToken = 4;

/** Returns the ends of an output, as OpenClaw shows it after it was trimmed. */
export function trimmedOutput({ entry, stored }: ActiveObject): {
  readonly shows: readonly ShownPart[];
  readonly content: readonly Block[];
} {
  const { head, tail } = defaults.trim;
  const text = stored.body.content ?? "";
  const note = `[Tool result trimmed: kept first ${head} chars and last ${tail} chars of ${text.length} chars.]`;
  const shown = `${text.slice(0, head)}\n...\n${text.slice(-tail)}\n\n${note}`;
  return {
    shows: [{ of: entry.handle, version: stored.version, form: "part", head, tail }],
    content: [{ type: "text", text: shown }],
  };
}

/**
 * Returns which outputs OpenClaw trims and which it removes when the cache is cold: from 30 % of the window on, the long
 * outputs before the newest 3 answers are shown by their ends; if the prompt then still has 50 % of the window, the oldest
 * outputs are removed until it has not.
 */
export function pruned(
  input: LayoutInput,
  shown: readonly InlineMessage[],
): { readonly trimmed: readonly string[]; readonly leaving: readonly ObjectId[] } {
  const { window, softTrimRatio, hardClearRatio, leastPrunable, trim } = defaults;
  let total = shown.reduce((sum, { entry }) => sum + entry.tokens, prefixTokens);
  if (total < softTrimRatio * window) return { trimmed: [], leaving: [] };
  const active = new Map(input.active.map((object) => [object.entry.handle, object]));
  const prunable = shown.slice(0, firstKept(shown)).flatMap(({ entry }) => {
    const object = entry.type === "result" ? active.get(entry.of ?? "") : undefined;
    const text = object?.stored.body.content ?? "";
    return object === undefined || entry.type !== "result" ? [] : [{ entry, object, text }];
  });
  const trimmed: string[] = [];
  const left = new Map<string, number>();
  for (const { entry, object, text } of prunable) {
    const isLong = entry.form === "bare" && text.length > trim.over;
    const kept = (trim.head + trim.tail) / charactersPerToken;
    const tokens = isLong ? Math.min(entry.tokens, kept) : entry.tokens;
    if (isLong) trimmed.push(object.entry.handle);
    total -= entry.tokens - tokens;
    left.set(object.entry.handle, tokens);
  }
  const leaving: ObjectId[] = [];
  const tokensLeft = [...left.values()].reduce((sum, tokens) => sum + tokens, 0);
  if (tokensLeft * charactersPerToken < leastPrunable) return { trimmed, leaving };
  for (const { object } of prunable) {
    if (total < hardClearRatio * window) break;
    total -= Math.max(0, (left.get(object.entry.handle) ?? 0) - placeholderTokens);
    leaving.push(object.entry.id);
  }
  return { trimmed: trimmed.filter((handle) => !leaving.includes(idOf(active, handle))), leaving };
}

function idOf(active: ReadonlyMap<string, ActiveObject>, handle: string): ObjectId {
  return active.get(handle)?.entry.id as ObjectId;
}

/** The index of the first message that the newest answers protect. */
function firstKept(shown: readonly InlineMessage[]): number {
  let answers = 0;
  for (let index = shown.length - 1; index >= 0; index -= 1) {
    if (shown[index]?.message.role === "assistant") answers += 1;
    if (answers === defaults.keptAnswers) return index;
  }
  return 0;
}
