import type { SessionStatus, View } from "@self-context-manager/core";

import { isFields } from "./pi-api.ts";

/**
 * The line for the user: how many of the known objects are active, what the model got, and what was saved of the prompt
 * with everything left where it was; by the host's own messages, roughly, where the layout does not say.
 */
export function statusLine(
  status: SessionStatus,
  { tokens, epoch }: Pick<View, "tokens" | "epoch">,
  hostTokens: number,
): string {
  const sent = tokens.metadata + tokens.chat + tokens.active;
  const whole =
    epoch === undefined || epoch.promptTokens === 0
      ? hostTokens
      : Math.round((sent * epoch.appendOnlyTokens) / epoch.promptTokens);
  const saved = Math.max(0, whole - sent);
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
