import type { ExtensionHost, HookMessage } from "./extension-host.ts";

/**
 * Adds an example to each request before the newest prompt: a question, an answer that calls a tool, its result, and an
 * answer. All have the time of the request.
 */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function primeWithAnswers(pi: ExtensionHost): void {
  let count = 0;
  pi.on("context", ({ messages }) => {
    count += 1;
    const newest = messages.findLastIndex(({ role }) => role === "user");
    return { messages: messages.toSpliced(newest, 0, ...example(messages, count)) };
  });
}

/** Returns the messages of an example, in which the answers have the fields of the host's own answers. */
function example(messages: readonly HookMessage[], count: number): readonly HookMessage[] {
  const timestamp = Date.now();
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const answer = messages.find(({ role }) => role === "assistant") ?? {
    role: "assistant",
    api: "anthropic-messages",
    provider: "example",
    model: "example",
    usage: { ...usage, cost },
    stopReason: "stop",
  };
  const call = { type: "toolCall", id: "example_call", name: "bash", arguments: { command: "ls" } };
  return [
    { role: "user", content: text(`EXAMPLE question ${count}`), timestamp },
    { ...answer, content: [call], stopReason: "toolUse", timestamp },
    {
      role: "toolResult",
      toolCallId: "example_call",
      toolName: "bash",
      content: text(`EXAMPLE result ${count}`),
      isError: false,
      timestamp,
    },
    { ...answer, content: text(`EXAMPLE answer ${count}`), stopReason: "stop", timestamp },
  ];
}

function text(said: string): readonly unknown[] {
  return [{ type: "text", text: said }];
}
