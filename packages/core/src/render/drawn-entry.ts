import { rawEstimator } from "../cost/calibrated-estimator.ts";
import { messageTokens } from "./message-tokens.ts";
import { renderEntry } from "./render-entry.ts";
import type { ViewMessage } from "../view/layout.ts";
import type { ViewEntry } from "../view/view-entry.ts";
import type { ViewSource } from "../view/view-source.ts";

/** The messages of entries. An entry never changes, and neither do the bytes of its message. */
const messages = new WeakMap<ViewEntry, ViewMessage>();

/** Returns the message of an entry, which is built only once. */
export function messageOf(entry: ViewEntry, source: ViewSource): ViewMessage {
  const known = messages.get(entry);
  if (known !== undefined) return known;
  const made = renderEntry(entry, source);
  messages.set(entry, made);
  return made;
}

/** Whether an entry's message is available without the content of its objects. */
export function isRendered(entry: ViewEntry): boolean {
  return messages.has(entry);
}

/** An entry without its tokens: the decision of what a message shows. */
export type DraftEntry = {
  [Type in ViewEntry["type"]]: Omit<Extract<ViewEntry, { readonly type: Type }>, "tokens">;
}[ViewEntry["type"]];

/** The entry that is drawn from a draft. */
export type Drawn<Draft extends DraftEntry> = Extract<ViewEntry, { readonly type: Draft["type"] }>;

/** Returns an entry with the tokens of its message. */
export function drawnEntry<Draft extends DraftEntry>(
  draft: Draft,
  source: ViewSource,
): Drawn<Draft> {
  const message = renderEntry({ ...draft, tokens: 0 }, source);
  const tokens = Math.ceil(messageTokens(message, rawEstimator));
  const made = Object.freeze({ ...draft, tokens }) as unknown as Drawn<Draft>;
  messages.set(made, message);
  return made;
}
