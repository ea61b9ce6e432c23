import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The outcome of a request. It passes; its connection breaks before or after the node has received it; it reaches the
 * node only some milliseconds after the connection broke; or the proxy answers it.
 */
export type Fate =
  | "pass"
  | "lost"
  | "unanswered"
  | { readonly late: number }
  | { readonly status: number; readonly type: string; readonly body: string };

export interface FaultyProxy extends AsyncDisposable {
  readonly url: string;
  /** The paths of all requests, in order. */
  readonly seen: readonly string[];
  /** The `Prefer` headers of all requests that have one, in order. */
  readonly preferences: readonly string[];
  /** Sets the function that decides the outcome of each later request. */
  decide(fateOf: (path: string) => Fate): void;
  /** Resolves when all late requests have reached the node. */
  settled(): Promise<void>;
}

/** Starts a proxy between a client and a node. It breaks or answers the requests that `decide` selects. */
export async function faultyProxy(
  node: string,
  { withoutHeader }: { readonly withoutHeader?: string } = {},
): Promise<FaultyProxy> {
  const seen: string[] = [];
  const preferences: string[] = [];
  const late = new Set<Promise<unknown>>();
  let fateOf: (path: string) => Fate = () => "pass";

  const server = createServer((incoming, outgoing) => {
    void handle(incoming, outgoing);
  });

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? "/", node).pathname.replace("/_xtdb/", "");
    seen.push(path);
    const { prefer } = incoming.headers;
    if (typeof prefer === "string") preferences.push(prefer);
    const body = await bodyOf(incoming);
    if (withoutHeader !== undefined) delete incoming.headers[withoutHeader];
    const fate = fateOf(path);
    if (fate === "lost") {
      outgoing.destroy();
    } else if (fate === "unanswered") {
      await forward(node, incoming, body);
      outgoing.destroy();
    } else if (fate === "pass") {
      const answer = await forward(node, incoming, body);
      outgoing.writeHead(answer.status, answer.headers);
      outgoing.end(answer.body);
    } else if ("late" in fate) {
      outgoing.destroy();
      const arrival = new Promise((resolve) => setTimeout(resolve, fate.late)).then(() =>
        forward(node, incoming, body),
      );
      late.add(arrival);
    } else {
      outgoing.writeHead(fate.status, { "content-type": fate.type });
      outgoing.end(fate.body);
    }
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    preferences,
    decide(next) {
      fateOf = next;
    },
    async settled() {
      await Promise.all(late);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

interface Forwarded {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

function forward(node: string, incoming: IncomingMessage, body: Buffer): Promise<Forwarded> {
  const { host: _, ...headers } = incoming.headers;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(incoming.url ?? "/", node),
      { method: incoming.method ?? "GET", headers },
      (answer) => {
        const headers: OutgoingHttpHeaders = {};
        for (const name of ["content-type", "scm-watched"])
          if (answer.headers[name] !== undefined) headers[name] = answer.headers[name];
        bodyOf(answer).then(
          (received) => resolve({ status: answer.statusCode ?? 500, headers, body: received }),
          reject,
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
