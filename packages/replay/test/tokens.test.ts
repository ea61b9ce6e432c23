import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";

import { countText, countTokens } from "../src/measure/tokens.ts";
import { type RecordedMessage } from "../src/read/recorded-session.ts";

test("a message counts its text, its thinking and its calls, plus four, plus four for each call", () => {
  const row: RecordedMessage = {
    role: "assistant",
    model: "some-model",
    content: [
      { type: "thinking", thinking: "let me see" },
      { type: "text", text: "reading the file" },
      { type: "toolCall", id: "call_123", name: "read", arguments: { path: "src/a.ts" } },
    ],
  };

  const expected = [
    "let me see",
    "reading the file",
    '{"name":"read","arguments":{"path":"src/a.ts"}}',
  ]
    .map((text) => encode(text).length)
    .reduce((sum, count) => sum + count, 8);
  expect(countTokens(row)).toBe(expected);
  expect(countTokens(row)).toBe(expected);
});

test("an image counts 1,500 tokens at any size", () => {
  const row: RecordedMessage = {
    role: "user",
    content: [{ type: "image", data: "", mimeType: "image/png", elided: true, bytes: 7 }],
  };

  expect(countTokens(row)).toBe(1504);
});

test("text that looks like a special token counts as text", () => {
  expect(countText("a <|endoftext|> b")).toBeGreaterThan(5);
});

test("long runs are cut, and each cut adds at most one token", () => {
  const run = "ab".repeat(1500);
  const text = `see ${run} and ${"=".repeat(3000)}${" ".repeat(3000)}${"7".repeat(3000)} end`;
  const exact = encode(text).length;

  expect(countText(text)).toBeGreaterThanOrEqual(exact);
  expect(countText(text)).toBeLessThanOrEqual(exact + 9);
  expect(countText("q".repeat(300_000))).toBeGreaterThan(1000);
});

test("a cut does not divide a surrogate pair", () => {
  const text = `x${"😀".repeat(1500)}`;

  expect(countText(text)).toBeLessThanOrEqual(encode(text).length + 6);
});
