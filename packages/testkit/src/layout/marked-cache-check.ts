import type { ViewMessage } from "@self-context-manager/core";
import assert from "node:assert/strict";

import { totalTokens } from "./justified-end.ts";
import type { PlayedCall } from "./play-session.ts";

/** How many messages before a boundary a provider looks for what an earlier boundary ended. */
const lookback = 20;

/**
 * Returns a check of a session's calls in order, by a cache of its own that has what the boundaries of earlier views ended:
 * the layout must not count more as cached than that cache has.
 */
export function markedCacheCheck(): (call: PlayedCall) => void {
  let written = new Set<string>();
  return ({ call, input, output: { messages, boundaries = [], epoch } }) => {
    const { isCold = false, rewrites } = input.epochs?.cache ?? {};
    if (isCold) written = new Set();
    const beginnings = beginningsOf(messages);
    const found = beginnings.findLastIndex(
      (beginning, index) =>
        written.has(beginning) &&
        boundaries.some((mark) => mark >= index && mark - index <= lookback),
    );
    for (const mark of boundaries) written.add(beginnings[mark] ?? "");
    if (rewrites !== "after-a-mark" || epoch === undefined) return;
    const cached = totalTokens(messages.slice(0, found + 1));
    assert.ok(
      epoch.cachedTokens <= cached,
      `call ${call} counts ${epoch.cachedTokens} tokens as cached, and the cache has ${cached}`,
    );
  };
}

/** Returns a text for each message that is equal for equal messages up to this one. */
function beginningsOf(messages: readonly ViewMessage[]): readonly string[] {
  let text = "";
  return messages.map((message) => (text += `${JSON.stringify(message)}\n`));
}
