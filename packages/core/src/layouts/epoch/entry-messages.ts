import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { messageTokens } from "../../render/message-tokens.ts";
import { renderEntry } from "../../render/render-entry.ts";
import type { ViewMessage } from "../../view/layout.ts";
import type { ViewEntry } from "../../view/view-entry.ts";
import type { ViewSource } from "../../view/view-source.ts";

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

/** Returns an entry with the tokens of its message. */
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
