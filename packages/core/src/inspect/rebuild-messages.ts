import type { Layout, ViewMessage } from "../view/layout.ts";
import { messagesHash } from "../view/message-hash.ts";
import type { ViewRecord } from "../view/view-record.ts";
import type { ViewSource } from "../view/view-source.ts";

/** Messages that were made again, as far as that was possible. */
export interface MadeMessages {
  readonly messages: readonly (ViewMessage | undefined)[];
  /** What could not be made, and why. */
  readonly failures: readonly string[];
  /** As it stands in the view, where every message could be made. */
  readonly hash?: string;
}

/**
 * Renders the messages of a record. If some cannot be rendered, the others still are: from the layout's record without
 * the lost versions, each `handle@version`, or entry by entry.
 */
export function rebuildMessages(
  layout: Layout | undefined,
  record: ViewRecord,
  source: ViewSource,
  lost: ReadonlySet<string>,
): MadeMessages {
  if (layout === undefined) return { messages: [], failures: [] };
  const whole = attempt(() => layout.rebuild(record, source));
  if (whole.made !== undefined)
    return { messages: whole.made, failures: [], hash: messagesHash(whole.made) };
  if (layout.without !== undefined) {
    const rest = layout.without(record, lost);
    const remaining = attempt(() => layout.rebuild(rest, source));
    return { messages: remaining.made ?? [], failures: [whole.reason] };
  }
  const messages: (ViewMessage | undefined)[] = [];
  const failures: string[] = [];
  for (const [index, entry] of record.entries.entries()) {
    const { made, reason } = attempt(() => layout.rebuild({ ...record, entries: [entry] }, source));
    messages.push(made?.[0]);
    if (made === undefined) failures.push(`message ${index + 1} cannot be made: ${reason}`);
  }
  return { messages, failures };
}

/** Fields of damaged versions can be of any kind, so that any error may come of rendering them. */
function attempt<Made>(
  make: () => Made,
):
  | { readonly made: Made; readonly reason: "" }
  | { readonly made?: undefined; readonly reason: string } {
  try {
    return { made: make(), reason: "" };
  } catch (cause) {
    return { reason: cause instanceof Error ? cause.message : String(cause) };
  }
}
