import { isJsonObject } from "@self-context-manager/objects";
import { toJson } from "@self-context-manager/core/host";
import {
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  neutralMessage,
} from "@self-context-manager/testkit";

/** A message of pi-agent-core. All releases have this form. */
export interface AgentMessage {
  readonly role: string;
  readonly content: unknown;
  readonly [field: string]: unknown;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly data?: string;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
}

/** A request as a stream function of pi-agent-core receives it. */
export interface AgentRequest {
  readonly messages: readonly AgentMessage[];
  readonly systemPrompt?: string;
  readonly tools?: readonly { readonly name: string }[];
}

/** Returns the request in the neutral form. Since 0.87 the prompt and the tools are messages of role system. */
export function neutralAgentRequest({ messages, systemPrompt, tools }: AgentRequest): ModelRequest {
  const system = messages.filter(({ role }) => role === "system");
  // A later declaration of a tool replaces an earlier one, and nothing here removes tools.
  const declared = system.flatMap(({ toolsAdded }) =>
    Array.isArray(toolsAdded) ? (toolsAdded as { readonly name: string }[]) : [],
  );
  return {
    instruction: [systemPrompt ?? "", ...system.map((one) => textOf(blocksOf(one)))].join(""),
    tools: [...new Set([...(tools ?? []), ...declared].map(({ name }) => name))],
    messages: messages.filter(({ role }) => role !== "system").map(asNeutral),
  };
}

function asNeutral(message: AgentMessage): ModelMessage {
  const blocks = blocksOf(message);
  const { toolCallId } = message;
  const thinking = blocks.find(({ type }) => type === "thinking")?.thinking;
  // A provider gets neither times nor usage, so the default bytes are those that it gets.
  return neutralMessage({
    role: roleOf(message),
    text: textOf(blocks),
    images: blocks.flatMap(({ type, data }) => (type === "image" ? [data ?? ""] : [])),
    toolCalls: blocks.flatMap(({ type, id = "", name = "", arguments: given }) => {
      const args = toJson(given ?? {});
      return type === "toolCall" ? [{ id, name, arguments: isJsonObject(args) ? args : {} }] : [];
    }),
    ...(typeof toolCallId === "string" ? { toolCallId } : {}),
    ...(thinking === undefined ? {} : { thinking }),
  });
}

function roleOf({ role }: AgentMessage): ModelMessage["role"] {
  if (role === "assistant") return "assistant";
  return role === "toolResult" ? "tool" : "user";
}

function blocksOf({ content }: AgentMessage): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? (content as readonly Block[]) : [];
}

export function textOf(blocks: readonly Block[]): string {
  return blocks.flatMap(({ type, text }) => (type === "text" ? [text ?? ""] : [])).join("\n");
}

/** A model that has only a name. */
export const agentModel: Readonly<Record<string, unknown>> = {
  id: "scripted",
  name: "Scripted",
  api: "scripted",
  provider: "scripted",
  baseUrl: "",
  reasoning: false,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 1_000,
};

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** Returns a scripted model's answer as a stream of pi-agent-core. */
export function agentStream(
  { text, calls, thinking, refuses, fails = refuses !== undefined }: ModelReply,
  timestamp: number,
): object {
  const stopReason = fails ? "error" : calls.length > 0 ? "toolUse" : "stop";
  const message = {
    role: "assistant",
    content: [
      ...(thinking === undefined
        ? []
        : [{ type: "thinking", thinking, thinkingSignature: `signed ${thinking}` }]),
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...calls.map((call) => ({ type: "toolCall", ...call })),
    ],
    api: agentModel["api"],
    provider: agentModel["provider"],
    model: agentModel["id"],
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: noCost },
    stopReason,
    ...(fails ? { errorMessage: refuses ?? "it broke off" } : {}),
    timestamp,
  };
  return {
    async *[Symbol.asyncIterator]() {
      yield { type: "start", partial: message };
      yield fails
        ? { type: "error", reason: stopReason, error: message }
        : { type: "done", reason: stopReason, message };
      await Promise.resolve();
    },
    result: async () => await Promise.resolve(message),
  };
}
