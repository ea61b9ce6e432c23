import type { ServerResponse } from "node:http";

import type { Reply } from "../loopback-reply.ts";
import { openLoopbackServer } from "../loopback-server.ts";
import { anthropicEvents } from "./anthropic-reply.ts";
import { type AnthropicRequest, anthropicRequest } from "./anthropic-request.ts";
import { type BilledPrompt, markedPrefixCache, type PrefixCache } from "./prefix-cache.ts";

export interface AnthropicModelOptions {
  /** Returns one answer for each request. */
  readonly script: (request: AnthropicRequest) => Reply;
  /** The simulated prompt cache. Default: a cache by Anthropic's rules. */
  readonly cache?: PrefixCache;
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

  const respond = async (body: Buffer, _path: string, outgoing: ServerResponse): Promise<void> => {
    const request = anthropicRequest(JSON.parse(body.toString("utf8")), requests.length);
    requests.push(request);
    if (request.faults.length > 0) throw new TypeError(request.faults.join("; "));
    const prompt = cache.bill(request.blocks);
    billed.push(prompt);
    const reply = options.script(request);
    if (reply.type !== "text" && reply.type !== "tool-calls") {
      throw new TypeError(`the Messages server has no reply of type ${reply.type}`);
    }
    const model = String(request.payload["model"]);
    const events = anthropicEvents(reply, { id: `msg_${request.index}`, model, billed: prompt });
    outgoing.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    outgoing.end(events.join(""));
  };

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
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}
