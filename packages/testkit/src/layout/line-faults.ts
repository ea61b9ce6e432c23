import { type Block, isText } from "@self-context-manager/core";
import { hasOwnLine, isOwnLine } from "@self-context-manager/core/layout";

import type { PlayedCall } from "./play-session.ts";

/**
 * Returns the lines outside of fences that a model could mistake: lines that are neither of the chat nor of a known
 * kind, and outputs of tools with a line of such a kind.
 */
export function lineFaults(call: PlayedCall): readonly string[] {
  const { turns, compaction } = call.input;
  const replacing = (compaction?.messages ?? []).flatMap(({ message }) =>
    message.role === "opaque" ? [] : [textOf(message.content)],
  );
  const said = [...turns.map(({ user }) => textOf(user ?? "")), ...replacing];
  return call.output.messages.flatMap((message): readonly string[] => {
    if (message.role === "opaque" || message.role === "assistant") return [];
    const { content } = message;
    if (message.role === "user" && isSaid(textOf(content), said)) return [];
    const outputs = message.role === "toolResult" ? outputsOf(message.toolCallId, call) : noOutputs;
    const texts =
      typeof content === "string" ? [content] : content.filter(isText).map(({ text }) => text);
    return texts.flatMap((text) => {
      if (outputs.reports.includes(text)) return [];
      if (outputs.texts.includes(text)) return hasOwnLine(text) ? [text] : [];
      return linesOutside(text).filter((line) => !isOwnLine(line));
    });
  });
}

/** Whether a text is one of the user's, whole or cut at a mark. */
function isSaid(text: string, said: readonly string[]): boolean {
  const lines = text.split("\n");
  const isWhole = (whole: string): boolean =>
    whole === text || withoutImages(whole.split("\n")) === withoutImages(lines);
  if (said.some(isWhole)) return true;
  const shown = withoutImages(lines).split("\n");
  const mark = shown.findLastIndex((line) => line.includes(" not shown; ") && isOwnLine(line));
  const before = shown.slice(0, mark).join("\n");
  return mark >= 0 && said.some((whole) => withoutImages(whole.split("\n")).startsWith(before));
}

/** Joins the lines that do not stand for an image. */
function withoutImages(lines: readonly string[]): string {
  return lines
    .filter(
      (line) => !/^(?:\(image\)|\[image not shown(?:; activate u\d+ shows it)?\])$/u.test(line),
    )
    .join("\n");
}

interface Outputs {
  /** The texts of a tool's output, as the host gave them. */
  readonly texts: readonly string[];
  /** The report of a context tool. It is an answer of the context manager. */
  readonly reports: readonly string[];
}

const noOutputs: Outputs = { texts: [], reports: [] };

function outputsOf(callId: string, { input, source }: PlayedCall): Outputs {
  const entry = [...input.pool.values()].find(({ id }) => id === callId);
  if (entry === undefined) return noOutputs;
  const body = source.object(entry.handle, entry.stored.version)?.stored.body;
  const content = body?.content ?? "";
  const blocks = body?.["blocks"];
  if (body?.["context_tool"] === true) return { texts: [], reports: [content] };
  const parts = Array.isArray(blocks) ? (blocks as readonly Block[]).filter(isText) : [];
  return { texts: [content, ...parts.map(({ text }) => text)], reports: [] };
}

/** Returns the lines of a text that are not between two equal rows of tildes. */
function linesOutside(text: string): readonly string[] {
  const outside: string[] = [];
  let row: string | undefined;
  for (const line of text.split("\n")) {
    if (row === undefined && /^~{3,}$/u.test(line)) row = line;
    else if (row === line) row = undefined;
    else if (row === undefined) outside.push(line);
  }
  return outside;
}

function textOf(content: string | readonly Block[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => (isText(block) ? block.text : `(${block.type})`)).join("\n");
}
