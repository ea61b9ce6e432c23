import { type LayoutInput, messageTokens, type UseKey } from "@self-context-manager/core/layout";
import { isText, isToolCall, type ViewMessage } from "@self-context-manager/core";
import type { ObjectId } from "@self-context-manager/objects";

import { shownContents } from "./shown-contents.ts";

/** The tokens that a name of 40 columns can have in addition. The marks of a cut name and of lines are no letters. */
export function ofOtherScripts(line: string): number {
  return /[^\p{ASCII}…]/u.test(line) ? 40 : 0;
}

/** Returns how many tokens the line of an object can have. Reports and ranges of lines need more than a reference. */
export function mostTokens(line: string): number {
  // The report of a change names two sizes and two versions.
  if (/ changed, /u.test(line)) return 34;
  // The line of an object that does not fit says what to do.
  if (line.includes("; no room to show it, ")) return 38;
  // The mark in a message of the user says how the rest is read.
  if (line.includes(" characters not shown; ")) return 22;
  return / lines \d+-\d+ /u.test(line) ? 26 : 17;
}

/**
 * Returns the text that replaces content that left the view: a reference line or an argument stub. Returns an empty
 * text if the content is shown elsewhere.
 */
export function lineOf(
  key: UseKey,
  messages: readonly ViewMessage[],
  input: LayoutInput,
): string | undefined {
  const [handle = "", kind] = key.split("/");
  const id = input.handles?.get(handle);
  if (kind === "args") return stubOf(messages, id);
  const lines = messages.flatMap((message) => {
    if (message.role === "opaque" || typeof message.content === "string") return [];
    return message.content.filter(isText).map(({ text }) => text);
  });
  const line = lines.find((text) => text.startsWith(`[${handle} `) && text.endsWith("]"));
  if (line !== undefined) return line;
  const mark = markOf(handle, messages);
  if (mark !== undefined) return mark;
  const isShown = shownContents(messages, input).some((shown) => shown.handle === handle);
  return isShown || isPictured(handle, messages) ? "" : undefined;
}

/** Whether messages had to leave the view. A notice shows it, unless not even the notice fitted. */
export function isShortened(
  messages: readonly ViewMessage[],
  { budget, estimator }: LayoutInput,
): boolean {
  const tokens = messages.reduce((sum, message) => sum + messageTokens(message, estimator), 0);
  return messages.some(isLeftLine) || (budget !== undefined && budget - tokens < 50);
}

export function isLeftLine(message: ViewMessage): boolean {
  if (message.role !== "user" || typeof message.content === "string") return false;
  return message.content.some(
    (block) => isText(block) && / not shown; (?:activate (?!u\d)|no room)/u.test(block.text),
  );
}

/** Returns the omission mark of a long text, or the line of an image, in a user message. */
function markOf(handle: string, messages: readonly ViewMessage[]): string | undefined {
  const mark = new RegExp(
    `^\\[(?:\\d+ characters|image) not shown; activate ${handle} [^\\]\n]*\\]$`,
    "mu",
  );
  for (const message of messages) {
    if (message.role !== "user") continue;
    const { content } = message;
    const texts =
      typeof content === "string" ? [content] : content.filter(isText).map((one) => one.text);
    const [found] = texts.flatMap((text) => mark.exec(text) ?? []);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a message shows an image under the header of an object. An output without text has no fence. */
function isPictured(handle: string, messages: readonly ViewMessage[]): boolean {
  return messages.some((message) => {
    if (message.role === "opaque" || typeof message.content === "string") return false;
    const { content } = message;
    const hasHeader = content.filter(isText).some(({ text }) => text.startsWith(`${handle} `));
    return hasHeader && content.some(({ type }) => type === "image");
  });
}

const stub = /^\[\d+ characters(?:, now in [a-z]+\d+ v\d+| left out)\]$/u;

function stubOf(messages: readonly ViewMessage[], id: ObjectId | undefined): string | undefined {
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const call = message.content.filter(isToolCall).find((one) => one.id === id);
    const found =
      call === undefined ? undefined : textsIn(call.arguments).find((t) => stub.test(t));
    if (found !== undefined) return found;
  }
  return undefined;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
