import type { ActiveObject, ShownPart, ViewEntry } from "@self-context-manager/core/layout";
import type { Block, ViewMessage } from "@self-context-manager/core";
import { type LineRange, linesOf } from "@self-context-manager/objects";

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

/** An output that was asked for again, or lines of it; a placeholder once it was removed. */
export function askedMessage(
  count: Count,
  of: string,
  object: ActiveObject | undefined,
  lines: readonly LineRange[] | undefined,
): InlineMessage {
  const shown = { of, version: object?.stored.version ?? 1 };
  if (object === undefined) return asked(count, [{ ...shown, form: "line" }], textOf(placeholder));
  if (lines === undefined) return asked(count, [{ ...shown, form: "whole" }], contentOf(object));
  const text = object.stored.body.content ?? "";
  return asked(
    count,
    lines.map((range) => ({ ...shown, form: "lines", ...range })),
    textOf(lines.map((range) => linesOf(text, range)).join("")),
  );
}

function asked(
  count: Count,
  shows: readonly ShownPart[],
  content: readonly Block[],
): InlineMessage {
  return sizedMessage(count, { type: "object", shows }, { role: "user", content });
}

function textOf(text: string): readonly Block[] {
  return [{ type: "text", text }];
}
