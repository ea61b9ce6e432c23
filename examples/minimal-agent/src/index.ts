import { openContextManager } from "@self-context-manager/compose";
import {
  answerDetails,
  contextTools,
  type MessageCodec,
  hostText,
} from "@self-context-manager/core/host";
import {
  type JsonObject,
  type Message,
  standingInstruction,
  textOf,
} from "@self-context-manager/core";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** This agent keeps its messages in the form of core, so its codec translates nothing. */
const codec: MessageCodec<Message> = {
  identify: (message) => ({
    role: message.role,
    ...(message.timestamp === undefined ? {} : { timestamp: message.timestamp }),
    ...(message.role === "toolResult" ? { callId: message.toolCallId } : {}),
  }),
  decode: (message) => message,
};

/** Replaces a model: each function gets the view and returns a tool call or a text. */
type Answer = readonly [tool: string, args: JsonObject] | string;
const model: readonly ((view: string) => Answer)[] = [
  () => ["ls", {}],
  () => ["read", { path: "package.json" }],
  (view) => ["deactivate", { id: /^(f\d+) package\.json v\d+$/mu.exec(view)?.[1] ?? "" }],
  (view) =>
    `package.json is in view ${view.includes('"dependencies"') ? "until its epoch ends" : "no longer"}`,
];

const workspace = fileURLToPath(new URL("..", import.meta.url));
await using manager = await openContextManager({ store: "memory", workspace });
const session = await manager.openSession({ harness: "minimal-agent", sessionId: "first" });
await session.recordSystemPrompt("own", standingInstruction);
const messages: Message[] = [{ role: "user", content: "Look around.", timestamp: Date.now() }];

for (const [index, answer] of model.entries()) {
  const options = { contextWindow: 200_000 };
  const { messages: view } = await session.ingestAndView(messages, codec, options);
  const said = answer(view.map((one) => ("content" in one ? textOf(one.content) : "")).join("\n"));
  console.log(`call ${index + 1}, messages in view: ${view.length}`);
  const [name, args] = typeof said === "string" ? [undefined, {}] : said;
  const call = { type: "toolCall", id: `call_${index + 1}`, name: name ?? "", arguments: args };
  const content = typeof said === "string" ? [{ type: "text", text: said }] : [call];
  messages.push({ role: "assistant", content, meta: {}, timestamp: Date.now() });
  console.log(typeof said === "string" ? said : await runTool(call.id, call.name, args));
}
await session.ingest(messages, codec);

/** Runs a tool, adds its result to the messages, and returns its report, or its text if it has none. */
async function runTool(toolCallId: string, toolName: string, args: JsonObject): Promise<string> {
  const contextTool = contextTools.find(({ name }) => name === toolName);
  const answer = await contextTool?.run(session, args, toolCallId);
  const text = answer === undefined ? await listFiles(toolCallId) : hostText(answer);
  const result = { role: "toolResult", toolCallId, toolName, timestamp: Date.now() } as const;
  const details = answer === undefined ? {} : { details: answerDetails(answer) };
  const isError = answer?.ok === false;
  messages.push({ ...result, content: [{ type: "text", text }], isError, ...details });
  return answer?.text ?? text;
}

/** A tool of this agent. The files that it names become known objects, and their content is not read. */
async function listFiles(callId: string): Promise<string> {
  const names = (await readdir(manager.workspace)).toSorted();
  await session.recordNamed(names, { callId });
  return names.join("\n");
}
