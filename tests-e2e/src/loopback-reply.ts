export interface ScriptedToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What the loopback model answers to one request. */
export type Reply =
  | { readonly type: "text"; readonly text: string; readonly reasoning?: string }
  | {
      readonly type: "tool-calls";
      /** More than one makes them parallel. */
      readonly calls: readonly ScriptedToolCall[];
      readonly text?: string;
      readonly reasoning?: string;
    }
  /** An HTTP error before any output; Pi retries 429 and 5xx, and gives up at once on 400. */
  | { readonly type: "error"; readonly status: number; readonly message: string }
  /** Some output, then a cut connection. */
  | { readonly type: "disconnect"; readonly text: string }
  /** Some output, then silence until the client goes away: what an abort needs. */
  | { readonly type: "hang"; readonly text: string };

export interface ReplyUsage {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
}

/** The server-sent events of a reply, in order, without the closing `[DONE]` where none is sent. */
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
  const finish = reply.type === "tool-calls" ? "tool_calls" : "stop";
  return [
    ...events,
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }),
    chunk({ choices: [], usage: wireUsage(options.usage) }),
    "data: [DONE]\n\n",
  ];
};

/** Tokens of a reply, by the same four-bytes rule as its prompt. */
export const replyTokens = (reply: Reply): number =>
  reply.type === "error" ? 0 : estimateTokens(JSON.stringify(deltas(reply)));

/** Four bytes of UTF-8 count as a token; close enough for a model that does not exist. */
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
    ...calls.map((call, index) => ({
      tool_calls: [
        {
          index,
          id: call.id,
          type: "function",
          function: { name: call.name, arguments: JSON.stringify(call.arguments) },
        },
      ],
    })),
  ];
};

/** Text arrives in two pieces, so that a reader that forgets to join them is found out. */
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
