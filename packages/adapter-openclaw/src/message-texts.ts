import { fieldsOf, isJsonObject } from "@self-context-manager/core/host";

import type { OpenClawMessage } from "./openclaw-messages.ts";

/**
 * Returns the texts of a message to which OpenClaw applies text transforms, in their order: those of its content, of the
 * arguments of its calls, and of its error. It leaves out empty texts.
 */
export function textsOf({ content, errorMessage }: OpenClawMessage): readonly string[] {
  const error = typeof errorMessage === "string" ? [errorMessage] : [];
  return [...contentTexts(content), ...error].filter((text) => text !== "");
}

function contentTexts(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  if (Array.isArray(content)) return content.flatMap(contentTexts);
  if (!isJsonObject(content)) return [];
  const { text, content: inner, type, arguments: args } = content;
  return [
    ...(typeof text === "string" ? [text] : []),
    ...contentTexts(inner),
    ...(type === "toolCall" ? argumentTexts(args) : []),
  ];
}

function argumentTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(argumentTexts);
  return isJsonObject(value) ? Object.values(value).flatMap(argumentTexts) : [];
}

/**
 * Returns a view's message with as many texts as the host's message has: joined, or divided at the ends of lines. A text
 * transform can change texts, and neither add nor remove one. Undefined if the texts cannot be divided.
 */
export function shapedAs(
  message: OpenClawMessage,
  host: OpenClawMessage,
): OpenClawMessage | undefined {
  const blocks = blocksOf(message);
  const texts = blocks.flatMap(blockText);
  const others = blocks.filter((block) => blockText(block).length === 0);
  if (typeof host["content"] === "string") {
    return others.length > 0 ? undefined : { ...message, content: texts.join(between) };
  }
  const count = blocksOf(host).flatMap(blockText).length;
  if (texts.length === count) return message;
  const pieces = divided(texts.join(between), count);
  if (pieces === undefined) return undefined;
  return { ...message, content: [...pieces.map((text) => ({ type: "text", text })), ...others] };
}

/** Returns a message with more text behind its last text. It has as many texts as before, if it has one. */
export function withText(message: OpenClawMessage, added: string): OpenClawMessage {
  const { content } = message;
  if (typeof content === "string" && content !== "")
    return { ...message, content: [content, added].join(between) };
  const blocks = blocksOf(message);
  const last = blocks.findLastIndex((block) => blockText(block).length > 0);
  if (last === -1) return { ...message, content: [...blocks, { type: "text", text: added }] };
  const text = [...blockText(blocks[last]), added].join(between);
  return { ...message, content: blocks.with(last, { ...fieldsOf(blocks[last]), text }) };
}

/** What separates texts that are joined. */
const between = "\n\n";

function blocksOf({ content }: OpenClawMessage): readonly unknown[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

function blockText(block: unknown): readonly string[] {
  const { type, text } = fieldsOf(block);
  return type === "text" && typeof text === "string" ? [text] : [];
}

/** Divides a text into pieces that are not empty: all lines but the last ones, and each of those. */
function divided(text: string, count: number): readonly string[] | undefined {
  if (count < 2) return count === 1 && text !== "" ? [text] : undefined;
  const lines = text.replace(/\n+$/u, "").split("\n");
  const at = lines.length - count + 1;
  if (at < 1) return undefined;
  const pieces = [lines.slice(0, at).join("\n"), ...lines.slice(at)];
  return pieces.includes("") ? undefined : pieces;
}
