import { toJson } from "@self-context-manager/core/host";
import type { AnthropicMessage, AnthropicRequest } from "@self-context-manager/evaluate/loopback";
import { isJsonObject, type JsonObject } from "@self-context-manager/objects";
import {
  type ModelMessage,
  type ModelRequest,
  neutralMessage,
} from "@self-context-manager/testkit";

/** Returns a request of Anthropic's Messages API in the neutral form. */
export function messagesRequest({
  systemBlocks,
  messages,
  payload,
}: AnthropicRequest): ModelRequest {
  const tools = Array.isArray(payload["tools"]) ? payload["tools"].map((tool) => toJson(tool)) : [];
  return {
    instruction: systemBlocks.map(({ text }) => said(text)).join("\n\n"),
    tools: tools.filter(isJsonObject).map(({ name }) => said(name)),
    messages: messages.flatMap(anthropicMessages),
  };
}

/** The provider joins results and consecutive messages of the user. Each of them is a message here. */
function anthropicMessages({ role, blocks }: AnthropicMessage): readonly ModelMessage[] {
  const json = blocks.map((block) => toJson(block)).filter(isJsonObject);
  if (role === "assistant") {
    const calls = json.filter(({ type }) => type === "tool_use");
    const thinking = json.map((block) => said(block["thinking"])).find((one) => one !== "");
    return [
      neutralMessage({
        role,
        text: textIn(json),
        toolCalls: calls.map(({ id, name, input }) => ({
          id: said(id),
          name: said(name),
          arguments: argumentsOf(input),
        })),
        ...(thinking === undefined ? {} : { thinking }),
      }),
    ];
  }
  return json.flatMap((block, index) => {
    const { type, content, tool_use_id: id } = block;
    if (type === "tool_result") {
      const inner = Array.isArray(content) ? content.filter(isJsonObject) : [];
      const text = typeof content === "string" ? content : textIn(inner);
      return [
        neutralMessage({ role: "tool", text, images: imagesIn(inner), toolCallId: said(id) }),
      ];
    }
    if (type !== "text") return [];
    const next = json.slice(index + 1);
    const end = next.findIndex((one) => one["type"] !== "image");
    const images = imagesIn(end === -1 ? next : next.slice(0, end));
    return [neutralMessage({ role: "user", text: textIn([block]), images })];
  });
}

function textIn(blocks: readonly JsonObject[]): string {
  return blocks.flatMap(({ type, text }) => (type === "text" ? [said(text)] : [])).join("\n");
}

function imagesIn(blocks: readonly JsonObject[]): readonly string[] {
  return blocks.flatMap(({ type, source }) =>
    type === "image" && isJsonObject(source) ? [said(source["data"])] : [],
  );
}

function argumentsOf(value: unknown): JsonObject {
  const json = toJson(value);
  return isJsonObject(json) ? json : {};
}

function said(value: unknown): string {
  return typeof value === "string" ? value : "";
}
