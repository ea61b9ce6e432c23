import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

export interface LoopbackServer extends AsyncDisposable {
  /** The URL without a path. */
  readonly origin: string;
}

/** Opens an HTTP server on a free loopback port. `refuse` answers a request for which `respond` rejects. */
export async function openLoopbackServer(
  respond: (body: Buffer, path: string, outgoing: ServerResponse) => Promise<void>,
  refuse: (error: unknown, outgoing: ServerResponse) => void,
): Promise<LoopbackServer> {
  const server = createServer((incoming, outgoing) => {
    const answered = readBody(incoming).then((body) => respond(body, incoming.url ?? "", outgoing));
    answered.catch((error: unknown) => refuse(error, outgoing));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") {
    throw new TypeError("the loopback server needs a TCP address");
  }
  return {
    origin: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
