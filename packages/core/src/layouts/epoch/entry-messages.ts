import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { messageTokens } from "../../render/message-tokens.ts";
import { renderEntry } from "../../render/render-entry.ts";
import type { ViewMessage } from "../../view/layout.ts";
import type { ViewEntry } from "../../view/view-entry.ts";
import type { ViewSource } from "../../view/view-source.ts";

/** Messages by the entry that they were made from: an entry never changes, and neither do its bytes. */
const messages = new WeakMap<ViewEntry, ViewMessage>();

/** The message of an entry, made once. */
export function messageOf(entry: ViewEntry, source: ViewSource): ViewMessage {
  const known = messages.get(entry);
  if (known !== undefined) return known;
  const made = renderEntry(entry, source);
  messages.set(entry, made);
  return made;
}

/** Whether an entry's message can be had without the content of its objects. */
export function isRendered(entry: ViewEntry): boolean {
  return messages.has(entry);
}

/** An entry with the tokens of its message. */
export function sized<Entry extends ViewEntry>(
  entry: Omit<Entry, "tokens">,
  source: ViewSource,
): Entry {
  const message = renderEntry({ ...entry, tokens: 0 } as Entry, source);
  const made = Object.freeze({
    ...entry,
    tokens: Math.ceil(messageTokens(message, rawEstimator)),
  }) as Entry;
  messages.set(made, message);
  return made;
}
