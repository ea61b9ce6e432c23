import type { SessionStatus, View } from "@self-context-manager/core";
import { isActive, listedObjects } from "@self-context-manager/core/host";

/**
 * The status line: how many of the listed objects are active, the tokens of the view, and how many more tokens Pi would
 * have sent without the extension, as in the bill of `/context`.
 */
export function statusLine(
  status: SessionStatus,
  tokens: View["tokens"],
  savedTokens: number,
): string {
  const sent = tokens.metadata + tokens.chat + tokens.active;
  const saved = Math.max(0, Math.round(savedTokens));
  const objects = listedObjects(status.objects);
  const active = objects.filter((object) => isActive(object)).length;
  return `ctx ${active}/${objects.length} active, ${short(sent)} tokens, ${short(saved)} saved`;
}

function short(count: number): string {
  return count < 1_000 ? String(count) : `${(count / 1_000).toFixed(1).replace(".0", "")}k`;
}
