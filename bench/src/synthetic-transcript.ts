import type { AssistantMessage, Message, ToolResultMessage } from "@self-context-manager/core";

/**
 * A host's messages, which grow call by call. A small generator replaces chance, so every run has the same messages.
 */
export interface SyntheticTranscript {
  readonly messages: Message[];
  /** Adds a user message every 20 calls, then an assistant message with a tool call, then its result. */
  addCall(): void;
}

const words = [
  "store",
  "object",
  "version",
  "layout",
  "session",
  "agent",
  "model",
  "cache",
  "file",
  "tool",
];

/** Starts a transcript; `resultCharacters` is the mean length of a tool's output. */
export function syntheticTranscript(resultCharacters = 3_000): SyntheticTranscript {
  const messages: Message[] = [];
  let state = 12_345;
  let calls = 0;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  const text = (length: number): string => {
    let made = "";
    while (made.length < length)
      made += `${words[next(words.length)] ?? ""}${next(1_000)}${next(9) === 0 ? "\n" : " "}`;
    return made;
  };
  return {
    messages,
    addCall() {
      const time = 1_700_000_000_000 + calls * 10;
      if (calls % 20 === 0) messages.push({ role: "user", content: text(200), timestamp: time });
      const id = `toolu_${String(calls).padStart(8, "0")}`;
      const assistant: AssistantMessage = {
        role: "assistant",
        content: [
          { type: "text", text: text(150) },
          { type: "toolCall", id, name: "bash", arguments: { command: text(80) } },
        ],
        meta: {
          api: "bench",
          provider: "bench",
          model: "bench-1",
          stopReason: "toolUse",
        },
        usage: { input: 1_000, cacheRead: 0, cacheWrite: 0 },
        timestamp: time + 1,
      };
      const result: ToolResultMessage = {
        role: "toolResult",
        toolCallId: id,
        toolName: "bash",
        content: [{ type: "text", text: text(next(2 * resultCharacters)) }],
        isError: false,
        timestamp: time + 2,
      };
      messages.push(assistant, result);
      calls += 1;
    },
  };
}
