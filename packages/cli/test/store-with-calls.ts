import { openContextManager } from "@self-context-manager/compose";
import {
  type AssistantMessage,
  type Message,
  neutralCodec,
  type ViewMessage,
  readList,
} from "@self-context-manager/core";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type TemporaryStore, temporaryStore } from "./temporary-store.ts";

/**
 * A session `s1` of four calls, the last with a budget that is too small for all, and a session `empty` without calls.
 */
export async function storeWithCalls(): Promise<
  TemporaryStore & { readonly handedOver: readonly (readonly ViewMessage[])[] }
> {
  const made = await temporaryStore();
  const { workspace, at } = made;
  await writeFile(join(workspace, "a.txt"), "one\ntwo\n");
  const handedOver: (readonly ViewMessage[])[] = [];
  const messages: Message[] = [{ role: "user", content: "please build", timestamp: 1 }];
  await using manager = await openContextManager({ at, workspace });
  const empty = await manager.openSession({ harness: "pi", sessionId: "empty" });
  // A session in which nothing happens is not stored.
  await empty.recordNamed([]);
  const session = await manager.openSession({ harness: "pi", sessionId: "s1" });
  const send = async (options = {}): Promise<void> => {
    await session.ingest(readList(messages, neutralCodec));
    handedOver.push((await session.nextView(options)).messages);
  };
  await session.recordSystemPrompt("host", "You help.");
  await send();
  for (const number of [1, 2]) {
    messages.push(answer(number), {
      role: "toolResult",
      toolCallId: `c${number}`,
      toolName: "bash",
      content: [{ type: "text", text: output(number) }],
      isError: false,
      timestamp: number * 10 + 1,
    });
    await send();
  }
  messages.push({ role: "user", content: "and now", timestamp: 40 });
  await send({ contextWindow: 900, reserve: 0 });
  return { ...made, handedOver };
}

function answer(number: number): AssistantMessage {
  return {
    role: "assistant",
    content: [{ type: "toolCall", id: `c${number}`, name: "bash", arguments: { command: "make" } }],
    meta: { stopReason: "toolUse" },
    timestamp: number * 10,
  };
}

function output(number: number): string {
  const lines = Array.from({ length: 150 }, (_, line) => `built \u001B[31m file ${line}`);
  return number === 1 ? lines.join("\n") : lines.slice(0, 40).join("\n");
}
