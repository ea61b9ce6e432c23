import type { ActiveObject, ViewEntry } from "@self-context-manager/core/layout";
import type { Block, ViewMessage } from "@self-context-manager/core";

/** The text that replaces an output that is left out: 12 tokens with its message. */
export const placeholder = "[Old output cleared to save room]";
/** Tokens of a message with the placeholder. */
export const placeholderTokens: number = 12;

/** Counts the tokens of a message. */
export type Count = (message: ViewMessage) => number;

/** A message of a view with its entry. */
export interface InlineMessage {
  readonly entry: ViewEntry;
  readonly message: ViewMessage;
}

/** An entry whose tokens are not counted yet. */
type Unsized = ViewEntry extends infer Entry
  ? Entry extends ViewEntry
    ? Omit<Entry, "tokens">
    : never
  : never;

/** A message with its entry and its tokens. */
export function sizedMessage(count: Count, entry: Unsized, message: ViewMessage): InlineMessage {
  return { entry: { ...entry, tokens: count(message) }, message };
}

/** The unchanged result of a tool. */
export function contentOf(object: ActiveObject | undefined): readonly Block[] {
  if (object === undefined) return [];
  const { content } = object.stored.body;
  const blocks = object.stored.body["blocks"];
  if (Array.isArray(blocks)) {
    const kept = blocks as readonly Block[];
    const hasText = kept.some(({ type }) => type === "text");
    if (hasText || content === null) return kept;
    return [{ type: "text", text: content ?? "" }, ...kept];
  }
  return [{ type: "text", text: content ?? "" }];
}

/** An output that was asked for again; a placeholder once it was removed. */
export function askedMessage(
  count: Count,
  of: string,
  object: ActiveObject | undefined,
): InlineMessage {
  const version = object?.stored.version ?? 1;
  const form = object === undefined ? ("line" as const) : ("whole" as const);
  const content =
    object === undefined ? [{ type: "text" as const, text: placeholder }] : contentOf(object);
  return sizedMessage(
    count,
    { type: "object", shows: [{ of, version, form }] },
    { role: "user", content },
  );
}
