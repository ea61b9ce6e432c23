import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";

/** A request as the provider got it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface PricingServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
}

/** Opens a provider on a free loopback port. `answer` gets each request and its index. */
export async function openPricingServer(
  answer: (outgoing: ServerResponse, request: ReceivedRequest, index: number) => unknown,
): Promise<PricingServer> {
  const requests: ReceivedRequest[] = [];
  const receive = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    const { method = "", url = "", headers } = incoming;
    const request = { method, url, headers, body: Buffer.concat(chunks) };
    requests.push(request);
    await answer(outgoing, request, requests.length - 1);
  };
  const server = createServer((incoming, outgoing) => {
    // A client that goes before the end of its request gets no answer.
    receive(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("no TCP address");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Sends JSON. */
export function sendJson(
  outgoing: ServerResponse,
  value: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): void {
  outgoing.writeHead(status, { "content-type": "application/json", ...headers });
  outgoing.end(JSON.stringify(value));
}

/** A completion with this usage, as one JSON object. */
export function completion(prompt: number, output: number, text = "done"): object {
  return {
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: prompt, completion_tokens: output },
  };
}
