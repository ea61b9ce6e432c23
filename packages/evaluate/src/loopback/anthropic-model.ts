import type { ThinkingBinding } from "@self-context-manager/core/host";

import type { ServerResponse } from "node:http";

import type { Reply } from "./loopback-reply.ts";
import { openLoopbackServer } from "./loopback-server.ts";
import { anthropicAnswer, anthropicEvents, usualSignature } from "./anthropic-reply.ts";
import { type AnthropicRequest, anthropicRequest } from "./anthropic-request.ts";
import { type BilledPrompt, markedPrefixCache, type PrefixCache } from "./prefix-cache.ts";
import { boundThinking, thinkingModeFaults } from "./thinking-binding.ts";

export interface AnthropicModelOptions {
  /** Returns one answer for each request. */
  readonly script: (request: AnthropicRequest) => Reply | Promise<Reply>;
  /** The simulated prompt cache. Default: a cache by Anthropic's rules. */
  readonly cache?: PrefixCache;
  /**
   * Whether the model binds its thinking to everything before it. Then the server verifies all thinking that comes
   * back. A function decides it by the request. Default: `free`, nothing is verified.
   */
  readonly thinking?: ThinkingBinding | ((request: AnthropicRequest) => ThinkingBinding);
}

export interface AnthropicModel extends AsyncDisposable {
  /** The base URL for a client of the Messages API. */
  readonly url: string;
  readonly requests: readonly AnthropicRequest[];
  /** The bill of each request, in order. */
  readonly billed: readonly BilledPrompt[];
  /**
   * Errors: refused requests, exceptions of the script, and requests that could not be decoded. A test expects none.
   */
  readonly failures: readonly string[];
  /** The thinking blocks that the server left out without an error, because the client asked for that. */
  readonly dropped: readonly string[];
}

/**
 * Opens a server of Anthropic's Messages API on a free loopback port. It answers by a script, refuses requests that
 * the real server refuses, and reports usage by a simulated prompt cache.
 */
export async function openAnthropicModel(options: AnthropicModelOptions): Promise<AnthropicModel> {
  const cache = options.cache ?? markedPrefixCache();
  const requests: AnthropicRequest[] = [];
  const billed: BilledPrompt[] = [];
  const failures: string[] = [];
  const dropped: string[] = [];

  const respond = async (body: Buffer, _path: string, outgoing: ServerResponse): Promise<void> => {
    const request = anthropicRequest(JSON.parse(body.toString("utf8")), requests.length);
    requests.push(request);
    const { thinking: given = "free" } = options;
    const thinking = typeof given === "function" ? given(request) : given;
    const faults = [...request.faults, ...thinkingModeFaults(request, thinking)];
    if (faults.length > 0) throw new TypeError(faults.join("; "));
    const signature = thinking === "bound" ? verified(request) : usualSignature;
    const prompt = cache.bill(request.blocks);
    billed.push(prompt);
    const reply = await options.script(request);
    if (reply.type === "error") {
      outgoing.writeHead(reply.status, { "content-type": "application/json" });
      const error = { type: "invalid_request_error", message: reply.message, ...reply.details };
      outgoing.end(JSON.stringify({ type: "error", error }));
      return;
    }
    if (reply.type !== "text" && reply.type !== "tool-calls") {
      throw new TypeError(`the Messages server has no reply of type ${reply.type}`);
    }
    const model = String(request.payload["model"]);
    const id = `msg_${request.index}`;
    const answer = { id, model, billed: prompt, signature };
    if (request.payload["stream"] !== true) {
      outgoing.writeHead(200, { "content-type": "application/json" });
      outgoing.end(JSON.stringify(anthropicAnswer(reply, answer)));
      return;
    }
    outgoing.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    outgoing.end(anthropicEvents(reply, answer).join(""));
  };

  /** Verifies the thinking of a request, and returns the signature of the thinking that answers it. */
  function verified(request: AnthropicRequest): string {
    const bound = boundThinking(request);
    if (bound.refusal !== undefined) throw new TypeError(bound.refusal);
    dropped.push(...bound.dropped.map((place) => `request ${request.index}: ${place}`));
    return bound.signature;
  }

  const server = await openLoopbackServer(respond, (error, outgoing) => {
    failures.push(`request ${requests.length - 1}: ${String(error)}`);
    outgoing.writeHead(400, { "content-type": "application/json" });
    const described = { type: "invalid_request_error", message: String(error) };
    outgoing.end(JSON.stringify({ type: "error", error: described }));
  });

  return {
    url: server.origin,
    requests,
    billed,
    failures,
    dropped,
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}
