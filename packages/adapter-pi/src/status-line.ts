import type { PoolTokens, SessionStatus } from "@self-context-manager/core";

import { isFields } from "./pi-api.ts";

/** The line for the user: how many of the known objects are active, what the model got, what was saved. */
export function statusLine(status: SessionStatus, tokens: PoolTokens, hostTokens: number): string {
  const sent = tokens.metadata + tokens.chat + tokens.active;
  const saved = Math.max(0, hostTokens - sent);
  return `ctx ${status.activeCount}/${status.objects.length} active, ${short(sent)} tokens, ${short(saved)} saved`;
}

/** What an image costs on the usual providers. */
const imageTokens = 1_200;

/** Four characters a token: enough for a line that only informs. */
export function roughTokens(messages: readonly unknown[]): number {
  let characters = 0;
  let images = 0;
  for (const message of messages) {
    const content = isFields(message) ? message["content"] : undefined;
    if (typeof content === "string") characters += content.length;
    if (!Array.isArray(content)) continue;
    for (const block of content) {
      if (!isFields(block)) continue;
      if (block["type"] === "image") images += 1;
      for (const text of [block["text"], block["thinking"]]) {
        if (typeof text === "string") characters += text.length;
      }
      const args = block["arguments"];
      if (!isFields(args)) continue;
      for (const value of Object.values(args)) {
        if (typeof value === "string") characters += value.length;
      }
    }
  }
  return Math.ceil(characters / 4) + images * imageTokens;
}

function short(count: number): string {
  return count < 1_000 ? String(count) : `${(count / 1_000).toFixed(1).replace(".0", "")}k`;
}
