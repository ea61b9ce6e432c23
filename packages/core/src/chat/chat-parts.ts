import { type Block, isText, isThinking } from "./message.ts";

/** Returns a user message as a part of a chat's text. */
export function userPart(user: string | readonly Block[]): string {
  if (typeof user === "string") return chatPart("user", user);
  const parts = user.map((block) => (isText(block) ? block.text : `(${block.type})`));
  return chatPart("user", parts.join("\n"));
}

/** Returns a block of an answer, other than a call, as a part of a chat's text. */
export function blockPart(block: Block): string {
  if (isText(block)) return chatPart("assistant", block.text);
  if (isThinking(block)) return chatPart("thinking", block.thinking);
  return chatPart("assistant", `(${block.type})`);
}

/**
 * Returns a part of a chat's text (decision D36). It begins with a row of hyphens; a line of a part that begins so has a
 * backslash before it. `title` has one line.
 */
export function chatPart(title: string, body: string): string {
  return `--- ${title}\n${body.replaceAll(/^(\\*--- )/gmu, "\\$1")}\n`;
}
