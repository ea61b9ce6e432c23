import { messageOf } from "@self-context-manager/objects";
import type { Layout, ViewMessage } from "../view/layout.ts";
import { messagesHash } from "../view/message-hash.ts";
import type { ViewRecord } from "../view/view-record.ts";
import type { ViewSource } from "../view/view-source.ts";
import type { KeptMessages } from "./kept-messages.ts";

/** The rebuilt messages; undefined for each that could not be rebuilt. */
export interface MadeMessages {
  readonly messages: readonly (ViewMessage | undefined)[];
  /** The failures, each with its reason. */
  readonly failures: readonly string[];
  /** The hash of the messages, as the view stores it; undefined if a message could not be rebuilt. */
  readonly hash?: string;
}

/**
 * Rebuilds the messages of a record. If some cannot be rebuilt, the others still are: from a record without the lost
 * versions, each `handle@version`, or else entry by entry. Kept messages are used if they are exactly those that were
 * sent.
 */
export function rebuildMessages(
  layout: Layout | undefined,
  record: ViewRecord,
  source: ViewSource,
  lost: ReadonlySet<string>,
  kept?: { readonly messages: KeptMessages; readonly sentHash: string },
): MadeMessages {
  if (layout === undefined) return { messages: [], failures: [] };
  const known = kept === undefined ? undefined : knownMessages(layout, record, source, kept);
  if (known !== undefined) return known;
  const whole = attempt(() => layout.rebuild(record, source));
  if (whole.made !== undefined)
    return { messages: whole.made, failures: [], hash: messagesHash(whole.made) };
  if (layout.without !== undefined) {
    const remaining = attempt(() => {
      const rest = layout.without?.(record, lost) ?? record;
      return layout.rebuild(rest, source);
    });
    return { messages: remaining.made ?? [], failures: [whole.reason] };
  }
  const messages: (ViewMessage | undefined)[] = [];
  const failures: string[] = [];
  for (const [index, entry] of record.entries.entries()) {
    const { made, reason } = attempt(() => layout.rebuild({ ...record, entries: [entry] }, source));
    messages.push(made?.[0]);
    if (made === undefined) failures.push(`message ${index + 1} cannot be rebuilt: ${reason}`);
  }
  // Every entry alone can be rendered, but the view cannot.
  return { messages, failures: failures.length === 0 ? [whole.reason] : failures };
}

/** Returns the messages from kept ones; undefined if they differ from the sent ones or cannot be rebuilt so. */
function knownMessages(
  layout: Layout,
  record: ViewRecord,
  source: ViewSource,
  { messages: kept, sentHash }: { readonly messages: KeptMessages; readonly sentHash: string },
): MadeMessages | undefined {
  // A layout with `without` has entries that are not one message each.
  if (layout.without !== undefined) return undefined;
  const { made } = attempt(() => kept.rebuild(layout, record, source));
  if (made === undefined) return undefined;
  const hash = messagesHash(made);
  return hash === sentHash ? { messages: made, failures: [], hash } : undefined;
}

/**
 * Runs a render and returns its error as a text: the fields of damaged versions can have any type, so any error is
 * possible.
 */
function attempt<Made>(
  make: () => Made,
):
  | { readonly made: Made; readonly reason: "" }
  | { readonly made?: undefined; readonly reason: string } {
  try {
    return { made: make(), reason: "" };
  } catch (cause) {
    return { reason: messageOf(cause) };
  }
}
