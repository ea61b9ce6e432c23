/** One block of a message's content as the provider received it. */
export type WireBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly url: string }
  | { readonly type: "other"; readonly value: unknown };

export interface WireToolCall {
  readonly id: string;
  readonly name: string;
  /** The text of the arguments as sent. It is JSON if the host is correct. */
  readonly arguments: string;
}

export interface WireMessage {
  readonly role: string;
  readonly blocks: readonly WireBlock[];
  /** The text blocks, joined by line feeds. */
  readonly text: string;
  readonly toolCalls: readonly WireToolCall[];
  /** On a tool result: the id of the tool call that it answers. */
  readonly toolCallId: string | undefined;
  /** The message as parsed from the body, including fields that are not named above. */
  readonly raw: unknown;
}

export interface WireTool {
  readonly name: string;
  readonly raw: unknown;
}

/** One chat-completions request, kept byte for byte. */
export interface WireRequest {
  /** Position in the server's log, from 0. */
  readonly index: number;
  readonly path: string;
  readonly body: Buffer;
  readonly byteLength: number;
  readonly model: string;
  /** Whether the client asks for server-sent events. */
  readonly isStreamed: boolean;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly WireTool[];
  /** The text that a prefix cache would use as its key: first the tools, then the messages. */
  readonly promptText: string;
}

/** Decodes a chat-completions body. Throws `SyntaxError` or `TypeError` for any other body. */
export const wireRequest = (
  body: Buffer,
  options: { readonly index: number; readonly path: string },
): WireRequest => {
  const parsed: unknown = JSON.parse(body.toString("utf8"));
  if (!isRecord(parsed) || !Array.isArray(parsed["messages"])) {
    throw new TypeError("a chat-completions request needs a body with messages");
  }

  const messages: readonly unknown[] = parsed["messages"];
  const tools: readonly unknown[] = Array.isArray(parsed["tools"]) ? parsed["tools"] : [];

  return {
    index: options.index,
    path: options.path,
    body,
    byteLength: body.byteLength,
    model: textOf(parsed["model"]),
    isStreamed: parsed["stream"] === true,
    messages: messages.map(wireMessage),
    tools: tools.map(wireTool),
    promptText: [...tools, ...messages].map((part) => JSON.stringify(part)).join("\n"),
  };
};

const wireMessage = (raw: unknown): WireMessage => {
  const message = isRecord(raw) ? raw : {};
  const blocks = wireBlocks(message["content"]);
  const calls: readonly unknown[] = Array.isArray(message["tool_calls"])
    ? message["tool_calls"]
    : [];
  const toolCallId = message["tool_call_id"];

  return {
    role: textOf(message["role"]),
    blocks,
    text: blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    toolCalls: calls.map(wireToolCall),
    toolCallId: typeof toolCallId === "string" ? toolCallId : undefined,
    raw,
  };
};

const wireBlocks = (content: unknown): readonly WireBlock[] => {
  if (typeof content === "string") {
    return [{ type: "text", text: content }];
  }
  return Array.isArray(content) ? content.map(wireBlock) : [];
};

const wireBlock = (value: unknown): WireBlock => {
  const block = isRecord(value) ? value : {};
  const image = block["image_url"];
  if (block["type"] === "text") {
    return { type: "text", text: textOf(block["text"]) };
  }
  if (isRecord(image)) {
    return { type: "image", url: textOf(image["url"]) };
  }
  return { type: "other", value };
};

const wireToolCall = (value: unknown): WireToolCall => {
  const call = isRecord(value) ? value : {};
  const target = isRecord(call["function"]) ? call["function"] : {};
  return {
    id: textOf(call["id"]),
    name: textOf(target["name"]),
    arguments: textOf(target["arguments"]),
  };
};

const wireTool = (raw: unknown): WireTool => {
  const target = isRecord(raw) && isRecord(raw["function"]) ? raw["function"] : {};
  return { name: textOf(target["name"]), raw };
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
