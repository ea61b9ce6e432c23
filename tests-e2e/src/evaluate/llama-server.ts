import {
  openLoopbackServer,
  type WireRequest,
  wireRequest,
} from "@self-context-manager/evaluate/loopback";
import type { ServerResponse } from "node:http";

import type { LlamaModel } from "./llama-model.ts";
import { promptPieces } from "./llama-prompt.ts";
import { certainText, writtenAnswer } from "./tool-call-text.ts";

/** A loopback server with OpenAI's chat completions in front of a real model. */
export interface LlamaServer extends AsyncDisposable {
  /** The base URL with its version. */
  readonly url: string;
  readonly model: string;
  /** The requests so far, without the list of models. */
  requestCount(): number;
}

/** What the model does is slow on two cores, so answers are short by default. */
export interface LlamaServerOptions {
  /** The most tokens of an answer, also if the request asks for more; default: 120. */
  readonly mostTokens?: number;
}

/** Opens a server that answers one request after the other. It ends with its model still open. */
export async function openLlamaServer(
  model: LlamaModel,
  { mostTokens = 120 }: LlamaServerOptions = {},
): Promise<LlamaServer> {
  const name = "small-model";
  let count = 0;
  let former: Promise<void> = Promise.resolve();
  const server = await openLoopbackServer(
    async (body, path, outgoing) => {
      if (path.endsWith("/models"))
        return sendJson(outgoing, 200, {
          object: "list",
          data: [{ id: name, object: "model", max_model_len: model.window }],
        });
      const request = wireRequest(body, { index: count, path });
      count += 1;
      // The model has one state, so a request waits for the one before it, whether that fails or not.
      const waiting = former;
      const { promise, resolve } = Promise.withResolvers<void>();
      former = promise;
      await waiting;
      try {
        await respond(model, request, { name, mostTokens: tokenLimit(body, mostTokens) }, outgoing);
      } finally {
        resolve();
      }
    },
    (error, outgoing) =>
      refuse(outgoing, 400, error instanceof Error ? error.message : String(error), {}),
  );
  return {
    url: `${server.origin}/v1`,
    model: name,
    requestCount: () => count,
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}

interface AnswerLimits {
  readonly name: string;
  readonly mostTokens: number;
}

async function respond(
  model: LlamaModel,
  request: WireRequest,
  { name, mostTokens }: AnswerLimits,
  outgoing: ServerResponse,
): Promise<void> {
  const prompt = model.tokens(promptPieces(request));
  if (prompt.length + mostTokens > model.window) {
    const needed = `${prompt.length} tokens in the messages and up to ${mostTokens} in the answer`;
    return refuse(
      outgoing,
      400,
      `This model's maximum context length is ${model.window} tokens. However, your request has ${needed}.`,
      { code: "context_length_exceeded" },
    );
  }
  const cached = await model.reused(prompt);
  const id = `chatcmpl-${request.index}`;
  const stream = request.isStreamed ? openStream(outgoing, { id, model: name }) : undefined;
  let answer = "";
  let tokens = 0;
  let sent = 0;
  for await (const text of model.answer(prompt)) {
    answer = text;
    tokens += 1;
    // A client that has gone away needs no answer.
    if (outgoing.destroyed || tokens >= mostTokens) break;
    // The last character is held back while it may be a part of one.
    const certain = certainText(text.replace(/\uFFFD+$/u, ""));
    if (certain.length > sent) stream?.delta({ content: certain.slice(sent) });
    sent = Math.max(sent, certain.length);
  }
  const { text, calls } = writtenAnswer(answer.replace(/\uFFFD+$/u, ""));
  const wireCalls = calls.map((call, index) => ({
    id: `${id}-${index}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  const finish = calls.length > 0 ? "tool_calls" : tokens >= mostTokens ? "length" : "stop";
  const usage = {
    prompt_tokens: prompt.length,
    completion_tokens: tokens,
    total_tokens: prompt.length + tokens,
    prompt_tokens_details: { cached_tokens: cached },
  };
  if (stream === undefined) {
    const message = {
      role: "assistant",
      content: text,
      ...(calls.length === 0 ? {} : { tool_calls: wireCalls }),
    };
    const choices = [{ index: 0, message, finish_reason: finish }];
    return sendJson(outgoing, 200, { ...objectOf(id, name, "chat.completion"), choices, usage });
  }
  if (text.length > sent) stream.delta({ content: text.slice(sent) });
  for (const [index, call] of wireCalls.entries())
    stream.delta({ tool_calls: [{ index, ...call }] });
  stream.end(finish, usage);
}

interface AnswerStream {
  delta(content: Readonly<Record<string, unknown>>): void;
  end(finish: string, usage: object): void;
}

function openStream(
  outgoing: ServerResponse,
  { id, model }: { readonly id: string; readonly model: string },
): AnswerStream {
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = (fields: object): void => {
    const object = { ...objectOf(id, model, "chat.completion.chunk"), ...fields };
    outgoing.write(`data: ${JSON.stringify(object)}\n\n`);
  };
  const choice = (delta: object, finish: string | null): void =>
    chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
  choice({ role: "assistant", content: "" }, null);
  return {
    delta: (content) => choice(content, null),
    end(finish, usage) {
      choice({}, finish);
      chunk({ choices: [], usage });
      outgoing.end("data: [DONE]\n\n");
    },
  };
}

function objectOf(id: string, model: string, object: string): object {
  return { id, object, created: 0, model };
}

function sendJson(outgoing: ServerResponse, status: number, body: object): void {
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(JSON.stringify(body));
}

function refuse(outgoing: ServerResponse, status: number, message: string, more: object): void {
  if (outgoing.headersSent) {
    // Half an answer cannot become an error; the client sees that the connection ends.
    outgoing.destroy();
    return;
  }
  sendJson(outgoing, status, { error: { message, type: "invalid_request_error", ...more } });
}

/** The limit of a request's answer, which both names of the field can lower. */
function tokenLimit(body: Buffer, most: number): number {
  const parsed: unknown = JSON.parse(body.toString("utf8"));
  const fields: Readonly<Record<string, unknown>> =
    typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
  const asked = [fields["max_completion_tokens"], fields["max_tokens"]].filter(
    (one): one is number => typeof one === "number" && one > 0,
  );
  return Math.min(most, ...asked);
}
