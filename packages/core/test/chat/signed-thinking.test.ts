import { describe, expect, it, test } from "vitest";
import type { Block } from "../../src/chat/message.ts";
import {
  hasSignedThinking,
  hasThinkingItem,
  withoutSignedThinking,
} from "../../src/chat/signed-thinking.ts";

const text: Block = { type: "text", text: "Well." };
const call: Block = { type: "toolCall", id: "call_1", name: "bash", arguments: { command: "ls" } };
const step = (blocks: readonly Block[]): Parameters<typeof hasSignedThinking>[0] => ({
  assistant: blocks,
  toolcall_ids: [],
  assistant_meta: {},
});

describe("signed thinking", () => {
  it.each<readonly [string, Block]>([
    ["thinking with a signature", { type: "thinking", thinking: "so", thinkingSignature: "sig" }],
    ["thinking whose text is not shown", { type: "thinking", thinking: "", signature: "sig" }],
    ["redacted thinking", { type: "redacted_thinking", data: "x" }],
    [
      "thinking that the host marks as redacted",
      { type: "thinking", thinking: "", redacted: true },
    ],
    ["an encrypted reasoning item", { type: "reasoning", thinkingSignature: "{}" }],
  ])("is %s", (_, block) => {
    expect(hasSignedThinking(step([block, text]))).toBe(true);
    expect(withoutSignedThinking([block, text, call])).toEqual([text, call]);
  });

  it.each<readonly [string, Block]>([
    ["thinking without a signature", { type: "thinking", thinking: "so", thinkingSignature: "" }],
    ["a text with a signature", { ...text, textSignature: "sig" }],
    ["a call without one", call],
  ])("is not %s", (_, block) => {
    expect(hasSignedThinking(step([block]))).toBe(false);
    expect(withoutSignedThinking([block])).toEqual([block]);
  });
});

test("a call stays without the encrypted thinking that its provider attached to it", () => {
  const signed = { ...call, thoughtSignature: "sig" };

  expect(hasSignedThinking(step([signed]))).toBe(true);
  expect(withoutSignedThinking([signed])).toEqual([call]);
});

test.each<readonly [string, Block, boolean]>([
  [
    "an item as JSON",
    { type: "thinking", thinkingSignature: '{"id":"rs_1","type":"reasoning","summary":[]}' },
    true,
  ],
  [
    "thinking with the id of an item in a provider's options",
    { type: "thinking", thinking: "", providerOptions: { openai: { itemId: "rs_1" } } },
    true,
  ],
  ["thinking with a signature", { type: "thinking", thinkingSignature: "sig" }, false],
  [
    "thinking with other options",
    { type: "thinking", providerOptions: { anthropic: { signature: "sig" } } },
    false,
  ],
  [
    "a text with the id of an item",
    { ...text, providerOptions: { openai: { itemId: "m" } } },
    false,
  ],
])("a thinking item is recognised: %s", (_, block, isItem) => {
  expect(hasThinkingItem(step([block, text]))).toBe(isItem);
});
