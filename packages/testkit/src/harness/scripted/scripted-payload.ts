import type { JsonObject } from "@self-context-manager/objects";

import type { ModelMessage, ModelRequest } from "../model-request.ts";

/** Marks the end of a prompt that the provider's cache keeps. */
const mark = { cache_control: { type: "ephemeral" } } as const;

/**
 * Returns a request as its provider gets it: in the form of Anthropic's messages, with the harness's own breakpoints at the
 * end of the system prompt and of the messages.
 */
export function scriptedPayload({ instruction, tools, messages }: ModelRequest): JsonObject {
  return {
    max_tokens: 1,
    system: [{ type: "text", text: instruction, ...mark }],
    tools: tools.map((name) => ({ name })),
    messages: messages.map((message, index) => ({
      role: message.role === "assistant" ? "assistant" : "user",
      content: withMark(blocksOf(message), index === messages.length - 1),
    })),
  };
}

/** Returns the indexes of the messages of a request that end with a breakpoint. */
export function markedMessages({ messages }: JsonObject): readonly number[] {
  return (messages as readonly JsonObject[]).flatMap((message, index) =>
    (message["content"] as readonly JsonObject[]).at(-1)?.["cache_control"] === undefined
      ? []
      : [index],
  );
}

function withMark(blocks: readonly JsonObject[], isLast: boolean): readonly JsonObject[] {
  return blocks.map((block, index) =>
    isLast && index === blocks.length - 1 ? { ...block, ...mark } : block,
  );
}

function blocksOf({ text, images, toolCalls, toolCallId, thinking }: ModelMessage): JsonObject[] {
  const shown = [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...images.map((data) => ({ type: "image", source: { type: "base64", data } })),
  ];
  if (toolCallId !== undefined)
    return [{ type: "tool_result", tool_use_id: toolCallId, content: shown }];
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking", thinking }]),
    ...shown,
    ...toolCalls.map(({ id, name, arguments: input }) => ({ type: "tool_use", id, name, input })),
  ];
}
