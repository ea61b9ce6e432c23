import { estimateTokens } from "./loopback-reply.ts";
import type { Reply } from "./loopback-reply.ts";
import type { BilledPrompt } from "./prefix-cache.ts";

/** The signature of a scripted model's thinking if nothing else is asked for. No real provider accepts it. */
export const usualSignature = "loopback-signature";

type Answer = Extract<Reply, { readonly type: "text" | "tool-calls" }>;

interface AnswerOptions {
  readonly id: string;
  readonly model: string;
  readonly billed: BilledPrompt;
  /** The signature of the reply's thinking. */
  readonly signature: string;
}

/** Returns a reply as one JSON object, as Anthropic sends it if the request asks for no stream. */
export function anthropicAnswer(
  reply: Answer,
  { id, model, billed, signature }: AnswerOptions,
): object {
  const { reasoning, text } = reply;
  const calls = reply.type === "tool-calls" ? reply.calls : [];
  const content = [
    ...(reasoning === undefined ? [] : [{ type: "thinking", thinking: reasoning, signature }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map((call) => ({
      type: "tool_use",
      id: call.id,
      name: call.name,
      input: call.arguments,
    })),
  ];
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: stopReasonOf(reply),
    stop_sequence: null,
    usage: { ...usageOf(billed), output_tokens: estimateTokens(JSON.stringify(content)) },
  };
}

function stopReasonOf({ type }: Answer): string {
  return type === "tool-calls" ? "tool_use" : "end_turn";
}

function usageOf({ input, written, read }: BilledPrompt): Readonly<Record<string, number>> {
  return {
    input_tokens: input,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
  };
}

/** Returns the server-sent events of a reply, as Anthropic streams them. */
export function anthropicEvents(reply: Answer, options: AnswerOptions): readonly string[] {
  const { id, model, billed, signature } = options;
  const blocks = blocksOf(reply, signature);
  const outputTokens = estimateTokens(JSON.stringify(blocks));
  const usage = usageOf(billed);
  const message = {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  return [
    event("message_start", { message }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      event("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", {
      delta: { stop_reason: stopReasonOf(reply), stop_sequence: null },
      usage: { ...usage, output_tokens: outputTokens },
    }),
    event("message_stop", {}),
  ];
}

function event(type: string, fields: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

interface ReplyBlock {
  readonly start: Readonly<Record<string, unknown>>;
  readonly deltas: readonly Readonly<Record<string, unknown>>[];
}

function blocksOf(reply: Answer, signature: string): readonly ReplyBlock[] {
  const { reasoning, text } = reply;
  const thinking: readonly ReplyBlock[] =
    reasoning === undefined
      ? []
      : [
          {
            start: { type: "thinking", thinking: "", signature: "" },
            deltas: [
              { type: "thinking_delta", thinking: reasoning },
              { type: "signature_delta", signature },
            ],
          },
        ];
  const said: readonly ReplyBlock[] =
    text === undefined
      ? []
      : [{ start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text }] }];
  const calls = reply.type === "tool-calls" ? reply.calls : [];
  return [
    ...thinking,
    ...said,
    ...calls.map(({ id, name, arguments: args }): ReplyBlock => ({
      start: { type: "tool_use", id, name, input: {} },
      deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(args) }],
    })),
  ];
}
