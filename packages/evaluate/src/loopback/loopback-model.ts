import { once } from "node:events";
import type { ServerResponse } from "node:http";

import { automaticPrefixCache, type BilledPrompt, type PrefixCache } from "./prefix-cache.ts";
import { estimateTokens, replyEvents, replyObject, replyTokens } from "./loopback-reply.ts";
import type { Reply } from "./loopback-reply.ts";
import { openLoopbackServer } from "./loopback-server.ts";
import { wireRequest } from "./wire-request.ts";
import type { WireRequest } from "./wire-request.ts";

/** Returns one answer for each request. */
export type Responder = (request: WireRequest, index: number) => Reply | Promise<Reply>;

export interface LoopbackModelOptions {
  /** A responder for all requests, or one step for each request in order. A request without a step is an error. */
  readonly script: Responder | readonly (Reply | Responder)[];
  /** The simulated prompt cache. Default: a cache by OpenAI's rules. */
  readonly cache?: PrefixCache;
}

export interface LoopbackModel extends AsyncDisposable {
  /** The base URL for an OpenAI-compatible client. */
  readonly url: string;
  /** All requests up to now, in order of arrival. */
  readonly requests: readonly WireRequest[];
  /** The bill of each request, in order. */
  readonly billed: readonly BilledPrompt[];
  /** Errors: exceptions of the script, and requests that could not be decoded. A test expects none. */
  readonly failures: readonly string[];
  /** Resolves with the request of this index once it has arrived. Rejects after the deadline. */
  received(index: number, options?: { readonly deadlineMs?: number }): Promise<WireRequest>;
}

/**
 * Opens a real OpenAI-compatible chat-completions server on a free loopback port. It answers by a script and keeps
 * the bytes of every request.
 */
export const openLoopbackModel = async (options: LoopbackModelOptions): Promise<LoopbackModel> => {
  const cache = options.cache ?? automaticPrefixCache();
  const requests: WireRequest[] = [];
  const billed: BilledPrompt[] = [];
  const failures: string[] = [];
  const waiting = new Set<() => void>();

  const respond = async (body: Buffer, path: string, outgoing: ServerResponse): Promise<void> => {
    // OpenClaw sometimes asks for the list of models.
    if (path.endsWith("/models")) return sendJson(outgoing, { object: "list", data: [] });
    const request = wireRequest(body, { index: requests.length, path });
    const text = request.promptText;
    const prompt = cache.bill([{ text, tokens: estimateTokens(text) }]);
    requests.push(request);
    billed.push(prompt);
    for (const wake of waiting) {
      wake();
    }
    await sendReply(outgoing, await nextReply(options.script, request), request, prompt);
  };

  const server = await openLoopbackServer(respond, (error, outgoing) => {
    failures.push(String(error));
    sendError(outgoing, 400, String(error));
  });

  return {
    url: `${server.origin}/v1`,
    requests,
    billed,
    failures,
    received: async (index, { deadlineMs = 120_000 } = {}) => {
      const found = requests[index];
      if (found !== undefined) {
        return found;
      }
      const { promise, resolve, reject } = Promise.withResolvers<WireRequest>();
      const wake = (): void => {
        const request = requests[index];
        if (request !== undefined) {
          resolve(request);
        }
      };
      const timer = setTimeout(() => {
        reject(new Error(`request ${index} did not arrive in ${deadlineMs} ms`));
      }, deadlineMs);
      waiting.add(wake);
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(wake);
      });
    },
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
};

const nextReply = async (
  script: LoopbackModelOptions["script"],
  request: WireRequest,
): Promise<Reply> => {
  if (typeof script === "function") {
    return script(request, request.index);
  }
  const step = script[request.index];
  if (step === undefined) {
    throw new RangeError(
      `the script has ${script.length} steps, but none for request ${request.index}`,
    );
  }
  return typeof step === "function" ? step(request, request.index) : step;
};

const sendReply = async (
  outgoing: ServerResponse,
  reply: Reply,
  request: WireRequest,
  { read, written, input }: BilledPrompt,
): Promise<void> => {
  if (reply.type === "error") {
    sendError(outgoing, reply.status, reply.message, reply.details);
    return;
  }
  const answer = {
    id: `loopback-${request.index}`,
    model: request.model,
    usage: {
      promptTokens: read + written + input,
      cachedTokens: read,
      completionTokens: replyTokens(reply),
    },
  };
  if (!request.isStreamed && reply.type === "hang") {
    await once(outgoing, "close");
    return;
  }
  if (!request.isStreamed) {
    if (reply.type !== "text" && reply.type !== "tool-calls")
      return sendError(outgoing, 400, `the answer broke off after ${reply.text}`);
    return sendJson(outgoing, replyObject(reply, answer));
  }
  outgoing.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const events = replyEvents(reply, answer);
  for (const event of events) {
    outgoing.write(event);
  }
  if (reply.type === "hang") {
    await once(outgoing, "close");
  } else if (reply.type === "disconnect") {
    // If the connection were destroyed at once, the buffered output would be lost. So the cut waits for the flush.
    outgoing.write(": cut\n\n", () => outgoing.destroy());
  } else {
    outgoing.end();
  }
};

const sendJson = (outgoing: ServerResponse, value: object): void => {
  outgoing.writeHead(200, { "content-type": "application/json" });
  outgoing.end(JSON.stringify(value));
};

const sendError = (
  outgoing: ServerResponse,
  status: number,
  message: string,
  details: Readonly<Record<string, unknown>> = { type: "loopback" },
): void => {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ error: { message, ...details } }));
};
