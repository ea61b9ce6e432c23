import { describe, expect, test } from "vitest";
import { thinkingBinding } from "../../src/cost/thinking-binding.ts";

describe("thinking is bound", () => {
  test.each([
    "claude-fable-5-1",
    "claude-fable-5-2-20261001",
    "claude-mythos-5-1",
    "claude-opus-5",
    "claude-opus-5-5",
    "anthropic/claude-sonnet-5.5",
    "us.anthropic.claude-haiku-5-5-v1:0",
    "claude-sonnet-6",
    "claude-fable-6",
    "claude-opus-10",
  ])("for %s", (id) => {
    expect(thinkingBinding(id)).toBe("bound");
  });
});

describe("thinking is free", () => {
  test.each([
    "claude-fable-5",
    "claude-fable-5-20260301",
    "claude-sonnet-5",
    "claude-sonnet-5-20260110",
    "claude-haiku-4-5",
    "claude-opus-4-8",
    "claude-opus-4-5-20251101",
    "claude-3-5-haiku-20241022",
    "gpt-6.1-sol",
    "gemini-3-pro",
    "loopback-1",
  ])("for %s", (id) => {
    expect(thinkingBinding(id)).toBe("free");
  });
});
