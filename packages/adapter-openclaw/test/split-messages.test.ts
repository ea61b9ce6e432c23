import { describe, expect, it, vi } from "vitest";

import type { OpenClawMessage } from "../src/openclaw-messages.ts";
import { splitMessages } from "../src/split-messages.ts";

function prompt(content: unknown, timestamp: number): OpenClawMessage {
  return { role: "user", content, timestamp };
}

function answer(timestamp: number, ...texts: readonly string[]): OpenClawMessage {
  const content = texts.map((text) => ({ type: "text", text }));
  return { role: "assistant", content, timestamp, provider: "mock" };
}

const blocks = (...texts: readonly string[]): readonly object[] =>
  texts.map((text) => ({ type: "text", text }));

describe("messages that the host has joined", () => {
  it("are separate for the session and joined again in a request", async () => {
    const command = { ...answer(3, "switched off"), provider: "openclaw" };
    const written = [
      prompt("/scm off", 2),
      command,
      prompt("go", 4),
      answer(5, "one"),
      answer(6, "two"),
    ];
    const host = [prompt(blocks("/scm off", "go"), 4), answer(5, "one", "two"), prompt("on", 7)];

    const split = await splitMessages(host, async () => await Promise.resolve(written));

    expect(split.messages).toEqual([written[0], written[2], written[3], written[4], host[2]]);
    expect(split.joined(split.messages)).toEqual(host);
  });

  it("stay as they are if the transcript has no such messages, or cannot be read", async () => {
    const host = [prompt(blocks("a", "b"), 1), answer(2, "one", "two")];
    const other = [prompt(blocks("a", "b"), 1), answer(2, "one"), answer(3, "other")];

    const unlike = await splitMessages(host, async () => await Promise.resolve(other));
    const unread = await splitMessages(host, async () => await Promise.reject(new Error("no")));

    expect(unlike.messages).toEqual(host);
    expect(unread.messages).toEqual(host);
  });

  it("are looked for only where a message has several texts", async () => {
    const host = [prompt("a", 1), answer(2, "one")];

    const transcript = vi.fn<() => Promise<readonly OpenClawMessage[]>>(
      async () => await Promise.resolve([]),
    );
    const { messages } = await splitMessages(host, transcript);

    expect(messages).toBe(host);
    expect(transcript).not.toHaveBeenCalled();
  });
});
