export interface ScriptedToolCall {
  readonly id: string;
  readonly name: string;
  /** An object. Models and servers give other values too. */
  readonly arguments: unknown;
}

/** The loopback model's answer to one request. */
export type Reply =
  | { readonly type: "text"; readonly text: string; readonly reasoning?: string }
  | {
      readonly type: "tool-calls";
      /** The tool calls. Several calls are parallel. */
      readonly calls: readonly ScriptedToolCall[];
      readonly text?: string;
      readonly reasoning?: string;
    }
  /** An HTTP error before any output. Pi retries 429 and 5xx, and does not retry 400. */
  | {
      readonly type: "error";
      readonly status: number;
      readonly message: string;
      /** The other fields of the error, as the real server sends them. */
      readonly details?: Readonly<Record<string, unknown>>;
    }
  /** Some output, then the provider's filter ends the answer. */
  | { readonly type: "filtered"; readonly text: string }
  /** Some output, then a closed connection. */
  | { readonly type: "disconnect"; readonly text: string }
  /** Some output, then silence until the client closes the connection. Tests of an abort need this. */
  | { readonly type: "hang"; readonly text: string };

export interface ReplyUsage {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
}

/** Returns a reply with these tool calls: the id, the name and the arguments of each. */
export const toolCalls = (
  ...calls: readonly (readonly [id: string, name: string, args: object])[]
): Reply => ({
  type: "tool-calls",
  calls: calls.map(([id, name, args]) => ({ id, name, arguments: { ...args } })),
});

/** Returns a whole reply as one JSON object, as the server sends it if the request asks for no stream. */
export const replyObject = (
  reply: Extract<Reply, { readonly type: "text" | "tool-calls" }>,
  options: { readonly id: string; readonly model: string; readonly usage: ReplyUsage },
): object => {
  const calls = reply.type === "tool-calls" ? reply.calls : [];
  const message = {
    role: "assistant",
    content: reply.text ?? "",
    ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(wireCall) }),
  };
  return {
    id: options.id,
    object: "chat.completion",
    created: 0,
    model: options.model,
    choices: [{ index: 0, message, finish_reason: finishReason(reply) }],
    usage: wireUsage(options.usage),
  };
};

/** Returns the server-sent events of a reply in order. An incomplete reply has no closing `[DONE]`. */
export const replyEvents = (
  reply: Exclude<Reply, { readonly type: "error" }>,
  options: { readonly id: string; readonly model: string; readonly usage: ReplyUsage },
): readonly string[] => {
  const chunk = (fields: Readonly<Record<string, unknown>>): string =>
    `data: ${JSON.stringify({
      id: options.id,
      object: "chat.completion.chunk",
      created: 0,
      model: options.model,
      ...fields,
    })}\n\n`;
  const delta = (content: Readonly<Record<string, unknown>>): string =>
    chunk({ choices: [{ index: 0, delta: content, finish_reason: null }] });

  const events = deltas(reply).map(delta);
  if (reply.type === "disconnect" || reply.type === "hang") {
    return events;
  }
  return [
    ...events,
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: finishReason(reply) }] }),
    chunk({ choices: [], usage: wireUsage(options.usage) }),
    "data: [DONE]\n\n",
  ];
};

/** Returns the tokens of a reply, counted by the same rule as its prompt. */
export const replyTokens = (reply: Reply): number =>
  reply.type === "error" ? 0 : estimateTokens(JSON.stringify(deltas(reply)));

/**
 * Estimates the tokens of a text: one for four bytes of UTF-8. That is close enough for a model that does not exist.
 */
export const estimateTokens = (text: string): number =>
  Math.ceil(Buffer.byteLength(text, "utf8") / 4);

const deltas = (
  reply: Exclude<Reply, { readonly type: "error" }>,
): readonly Readonly<Record<string, unknown>>[] => {
  const reasoning = "reasoning" in reply ? reply.reasoning : undefined;
  const calls = reply.type === "tool-calls" ? reply.calls : [];
  return [
    { role: "assistant", content: "" },
    ...(reasoning === undefined ? [] : [{ reasoning_content: reasoning }]),
    ...halves(reply.text ?? "").map((content) => ({ content })),
    ...calls.map((call, index) => ({ tool_calls: [{ index, ...wireCall(call) }] })),
  ];
};

const wireCall = ({ id, name, arguments: args }: ScriptedToolCall): object => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});

const finishReason = ({ type }: Pick<Reply, "type">): string => {
  if (type === "filtered") return "content_filter";
  return type === "tool-calls" ? "tool_calls" : "stop";
};

/** Splits a text into two pieces, so that a reader that does not join them fails a test. */
const halves = (text: string): readonly string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
};

const wireUsage = (usage: ReplyUsage): Readonly<Record<string, unknown>> => ({
  prompt_tokens: usage.promptTokens,
  completion_tokens: usage.completionTokens,
  total_tokens: usage.promptTokens + usage.completionTokens,
  prompt_tokens_details: { cached_tokens: usage.cachedTokens },
});
