import { fieldsOf } from "@self-context-manager/core/host";
import type {
  AnthropicRequest,
  WireBlock,
  WireMessage,
  WireRequest,
} from "@self-context-manager/evaluate/loopback";

/**
 * Returns a request of Anthropic's API with the messages that chat completions would have: each result of a tool is a message
 * of its own, and so is each text of a user.
 */
export function wireOfAnthropic({ index, payload, messages }: AnthropicRequest): WireRequest {
  const body = Buffer.from(JSON.stringify(payload));
  const system = wireMessage("system", textsOf(payload["system"]));
  const tools: readonly unknown[] = Array.isArray(payload["tools"]) ? payload["tools"] : [];
  return {
    index,
    path: "/v1/messages",
    body,
    byteLength: body.byteLength,
    model: nameIn(payload["model"]),
    isStreamed: payload["stream"] === true,
    messages: [
      system,
      ...messages.flatMap(({ role, blocks }) =>
        role === "assistant"
          ? [answer(blocks)]
          : blocks.map((block) =>
              block["type"] === "tool_result"
                ? wireMessage("tool", textsOf(block["content"]), {
                    raw: unmarked(block),
                    toolCallId: nameIn(block["tool_use_id"]),
                  })
                : wireMessage("user", textsOf([block]), { raw: unmarked(block) }),
            ),
      ),
    ],
    tools: tools.map((tool) => ({ name: nameIn(fieldsOf(tool)["name"]), raw: tool })),
    promptText: body.toString("utf8"),
  };
}

function answer(blocks: readonly Readonly<Record<string, unknown>>[]): WireMessage {
  const calls = blocks.filter(({ type }) => type === "tool_use");
  return wireMessage("assistant", textsOf(blocks), {
    raw: blocks.map(unmarked),
    toolCalls: calls.map(({ id, name, input }) => ({
      id: nameIn(id),
      name: nameIn(name),
      arguments: JSON.stringify(input),
    })),
  });
}

function wireMessage(
  role: string,
  texts: readonly string[],
  fields: Partial<WireMessage> = {},
): WireMessage {
  return {
    role,
    blocks: texts.map((text): WireBlock => ({ type: "text", text })),
    text: texts.join("\n"),
    toolCalls: [],
    toolCallId: undefined,
    raw: texts,
    ...fields,
  };
}

/** A block without the mark for the cache, which is at another block in the next request. */
function unmarked(block: Readonly<Record<string, unknown>>): unknown {
  const { cache_control: _mark, ...rest } = block;
  const { content } = rest;
  return Array.isArray(content)
    ? { ...rest, content: content.map((one) => unmarked(fieldsOf(one))) }
    : rest;
}

function textsOf(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown) => {
    const { text, thinking, type } = fieldsOf(block);
    if (typeof text === "string") return text;
    return typeof thinking === "string" ? thinking : `[${nameIn(type)}]`;
  });
}

function nameIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
