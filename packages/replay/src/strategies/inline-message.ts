import type { ActiveObject, Block, ViewEntry, ViewMessage } from "@self-context-manager/core";

/** What stands in the place of an output that is left out: 12 tokens with its message. */
export const placeholder = "[Old output cleared to save room]";
/** What a message with the placeholder counts. */
export const placeholderTokens: number = 12;

/** Counts the tokens of a message. */
export type Count = (message: ViewMessage) => number;

/** A message of a view with what it was made from. */
export interface InlineMessage {
  readonly entry: ViewEntry;
  readonly message: ViewMessage;
}

/** An entry that is not counted yet. */
type Unsized = ViewEntry extends infer Entry
  ? Entry extends ViewEntry
    ? Omit<Entry, "tokens">
    : never
  : never;

/** A message with its entry and its tokens. */
export function sizedMessage(count: Count, entry: Unsized, message: ViewMessage): InlineMessage {
  return { entry: { ...entry, tokens: count(message) }, message };
}

/** What a tool returned, as it returned it. */
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

/** An output that was asked for again; a placeholder once it left. */
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
