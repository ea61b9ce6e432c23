import type { Reply, WireMessage, WireRequest } from "@self-context-manager/evaluate/loopback";
import { isJsonObject } from "@self-context-manager/objects";
import { toJson } from "@self-context-manager/core/host";
import type { ModelReply, ModelRequest } from "@self-context-manager/testkit";

type ModelMessage = ModelRequest["messages"][number];

/**
 * Returns a request in the neutral form. The working folder's name differs between runs, so it is replaced. Without `folder`
 * nothing is replaced.
 */
export function neutralRequest(request: WireRequest, folder?: string): ModelRequest {
  return {
    instruction: request.messages
      .filter(isInstruction)
      .map(({ text }) => withoutFolder(text, folder))
      .join("\n"),
    tools: request.tools.map(({ name }) => name),
    messages: request.messages
      .filter((message) => !isInstruction(message))
      .map((message) => neutralMessage(message, folder)),
  };
}

function neutralMessage(message: WireMessage, folder: string | undefined): ModelMessage {
  const raw = toJson(message.raw);
  const { reasoning_content: thinking, ...sent } = isJsonObject(raw) ? raw : {};
  return {
    role: message.role === "tool" || message.role === "assistant" ? message.role : "user",
    text: message.text,
    images: message.blocks.flatMap((block) =>
      block.type === "image" ? [block.url.replace(/^data:image\/png;base64,/u, "")] : [],
    ),
    toolCalls: message.toolCalls.map(({ id, name, arguments: text }) => {
      const args = toJson(JSON.parse(text));
      return { id, name, arguments: isJsonObject(args) ? args : {} };
    }),
    ...(message.toolCallId === undefined ? {} : { toolCallId: message.toolCallId }),
    ...(typeof thinking === "string" ? { thinking } : {}),
    bytes: withoutFolder(JSON.stringify(sent), folder),
  };
}

function withoutFolder(text: string, folder: string | undefined): string {
  return folder === undefined ? text : text.replaceAll(folder, "WORK");
}

function isInstruction({ role }: WireMessage): boolean {
  return role === "system" || role === "developer";
}

/** Returns a scripted model's answer in the form of the loopback model. */
export function loopbackReply({ text, calls, thinking, refuses, fails }: ModelReply): Reply {
  if (refuses !== undefined) return { type: "error", status: 400, message: refuses };
  if (fails === true) return { type: "disconnect", text };
  const reasoning = thinking === undefined ? {} : { reasoning: thinking };
  if (calls.length === 0) return { type: "text", text, ...reasoning };
  return { type: "tool-calls", calls, ...reasoning, ...(text === "" ? {} : { text }) };
}
