import type { SessionStatus, View } from "@self-context-manager/core";
import { isActive, listedObjects } from "@self-context-manager/core/host";

import { isFields } from "./pi-api.ts";

/**
 * The status line: how many of the listed objects are active, the tokens of the view, and the tokens saved compared with
 * append-only. If the layout does not report append-only tokens, a rough count of the host's own messages replaces
 * them.
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
  const objects = listedObjects(status.objects);
  const active = objects.filter((object) => isActive(object)).length;
  return `ctx ${active}/${objects.length} active, ${short(sent)} tokens, ${short(saved)} saved`;
}

/** Typical tokens of an image. */
const imageTokens = 1_200;

/** Estimates tokens by four characters a token: accurate enough for a status line. */
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
