import { messageTokens } from "../../render/message-tokens.ts";
import type { ViewEntry } from "../../view/view-entry.ts";
import { messageOf, type ViewDraft } from "./view-draft.ts";

/** Tokens of an entry's message by the session's own estimator. */
export function tokensOf(draft: ViewDraft, entry: ViewEntry): number {
  if ((draft.input.factor ?? 1) === 1) return entry.tokens;
  const { estimator } = draft.input;
  const known = counted.get(entry);
  if (known?.estimator === estimator) return known.tokens;
  const tokens = messageTokens(messageOf(entry, draft.source), estimator);
  counted.set(entry, { estimator, tokens });
  return tokens;
}

const counted = new WeakMap<ViewEntry, { readonly estimator: unknown; readonly tokens: number }>();

export function total(draft: ViewDraft, entries: readonly ViewEntry[]): number {
  let tokens = 0;
  for (const entry of entries) tokens += tokensOf(draft, entry);
  return tokens;
}
