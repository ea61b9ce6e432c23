import { openContextManager } from "@self-context-manager/compose";
import { type Block, isToolCall, type Message, readList } from "@self-context-manager/core";
import { neutralCodec, standingInstruction, type ToolCallBlock } from "@self-context-manager/core";
import { readdir } from "node:fs/promises";

/** Replaces a model: each function gets the view as JSON, and returns a call of a tool or a text. */
const model: readonly ((view: string) => Block)[] = [
  () => call(1, "ls", {}),
  () => call(2, "read", { path: "package.json" }),
  (view) => call(3, "deactivate", { id: /(f\d+) package\.json v\d+\\n/u.exec(view)?.[1] ?? "" }),
  (view) => text(/dependencies/iu.test(view) ? "in view until its epoch ends" : "not in view"),
];
const text = (said: string): Block => ({ type: "text", text: said });
const call = (number: number, name: string, args: Record<string, string>): Block => {
  return { type: "toolCall", id: `call_${number}`, name, arguments: args };
};

await using manager = await openContextManager({ store: "memory" });
await using session = await manager.openSession({ harness: "minimal-agent", sessionId: "first" });
await session.recordSystemPrompt("own", standingInstruction);
const messages: Message[] = [{ role: "user", content: "Look around.", timestamp: Date.now() }];

for (const answer of model) {
  const view = await session.ingestAndView(readList(messages, neutralCodec), {
    contextWindow: 200_000,
  });
  console.log(`call ${view.call}, messages in view: ${view.messages.length}`);
  const block = answer(JSON.stringify(view.messages));
  messages.push({ role: "assistant", content: [block], timestamp: Date.now() });
  if (isToolCall(block)) messages.push(await runTool(block));
  else console.log(block["text"]);
}
await session.ingest(readList(messages, neutralCodec));

/** Runs a context tool, or `ls`, this agent's own tool. The files that `ls` names become known and are not read. */
async function runTool({ id, name, arguments: args }: ToolCallBlock): Promise<Message> {
  const answer = await session
    .tools()
    .find((tool) => tool.name === name)
    ?.run(args, id);
  console.log(answer?.text ?? "ls");
  if (answer !== undefined) return answer.message;
  const names = (await readdir(manager.workspace)).toSorted();
  await session.recordNamed(names, { callId: id });
  const content = [text(names.join("\n"))];
  return { role: "toolResult", toolCallId: id, toolName: name, content, isError: false };
}
