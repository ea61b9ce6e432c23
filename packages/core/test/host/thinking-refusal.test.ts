import { expect, test } from "vitest";

import { promptRefusal } from "../../src/host/prompt-refusal.ts";
import { isThinkingRefusal } from "../../src/host/thinking-refusal.ts";

const refusal =
  '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.3.content.0: Invalid `signature` in `thinking` block"}}';

test.each([
  { error: refusal, isOne: true },
  { error: "Invalid signature in thinking block", isOne: true },
  { error: "prompt is too long: 213462 tokens > 200000 maximum", isOne: false },
  { error: "Invalid API key", isOne: false },
])("$error", ({ error, isOne }) => {
  expect(isThinkingRefusal(error)).toBe(isOne);
});

test("a refusal of thinking is no refusal of a prompt that is too long", () => {
  expect(promptRefusal(refusal)).toBeUndefined();
});
