import { openContextManager } from "@self-context-manager/compose";
import { type Message, neutralCodec, readList } from "@self-context-manager/core";
import { dirname } from "node:path";

/**
 * Stores a session as an agent makes it: each call answers a short question, and one in some calls runs a command whose
 * output becomes an object. The provider reports that it read all of the last prompt from its cache.
 */
export async function storeLongSession(at: string, calls: number, objects: number): Promise<void> {
  await using manager = await openContextManager({ at, workspace: dirname(at) });
  const session = await manager.openSession({ harness: "bench", sessionId: "bench" });
  await session.recordSystemPrompt("host", "You help people. ".repeat(200));
  const messages: Message[] = [];
  const everyCalls = Math.max(1, Math.round(calls / objects));
  let sent = 0;
  for (let call = 0; call < calls; call += 1) {
    const time = 1_700_000_000_000 + call * 10_000;
    const question = `question ${call} about the store and its versions`;
    messages.push({ role: "user", content: question, timestamp: time });
    await session.ingest(readList(messages, neutralCodec));
    const { tokens } = await session.nextView({ model: "anthropic/claude-sonnet-4-5" });
    const prompt = tokens.metadata + tokens.chat + tokens.active;
    const cacheRead = Math.min(sent, prompt);
    const usage = { input: prompt - cacheRead, cacheRead, cacheWrite: 0 };
    sent = prompt;
    messages.push(...answerOf(call, { isCommand: call % everyCalls === 0, usage, time }));
  }
  await session.ingest(readList(messages, neutralCodec));
}

interface Answered {
  readonly isCommand: boolean;
  readonly usage: {
    readonly input: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  readonly time: number;
}

function answerOf(call: number, { isCommand, usage, time }: Answered): readonly Message[] {
  const base = { role: "assistant", usage, timestamp: time + 1 } as const;
  if (!isCommand)
    return [
      {
        ...base,
        content: [{ type: "text", text: `answer ${call} with some words` }],
        meta: { stopReason: "stop" },
      },
    ];
  const id = `toolu_${call}`;
  return [
    {
      ...base,
      content: [{ type: "toolCall", id, name: "bash", arguments: { command: `make ${call}` } }],
      meta: { stopReason: "toolUse" },
    },
    {
      role: "toolResult",
      toolCallId: id,
      toolName: "bash",
      content: [{ type: "text", text: `line ${call} of a long output\n`.repeat(60) }],
      isError: false,
      timestamp: time + 2,
    },
  ];
}
