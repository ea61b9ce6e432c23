import ky, { type KyInstance, TimeoutError } from "ky";

import { readTransit } from "./transit.ts";
import { type Answer, RequestFailure, storeError } from "./xtdb-errors.ts";

/** One HTTP request to a node. */
export interface NodeRequest {
  readonly path: string;
  readonly search?: Readonly<Record<string, string | number>>;
  /** The body of a POST, as text of the given media type. */
  readonly body?: { readonly type: string; readonly text: string };
  /** Seconds that the node may wait until it can say what came of it; a node that knows nothing of this does not. */
  readonly wait?: number;
  /** Milliseconds until it is given up. */
  readonly timeout: number;
}

/** Sends requests to a node and reads its answers. Rejects with `RequestFailure` where no answer comes. */
export interface Requests {
  /** The node's URL, without `/_xtdb`. */
  readonly url: string;
  /** Goes to another URL from now on. */
  moveTo(url: string): void;
  send(request: NodeRequest): Promise<Answer>;
}

export interface RequestsOptions {
  readonly url: string;
  /** A bearer token, where the node wants one. */
  readonly token?: string;
}

/** Connections are kept open between requests, as Node's fetch does by itself. */
export function requests({ url, token }: RequestsOptions): Requests {
  let node = nodeUrl(url);
  const http: KyInstance = ky.create({
    headers: {
      accept: "application/transit+json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    // Tries are this package's own matter: a submit may not be sent twice without a look at what became of it.
    retry: 0,
    throwHttpErrors: false,
  });

  return {
    get url() {
      return node;
    },
    moveTo(other) {
      node = nodeUrl(other);
    },
    async send({ path, search, body, wait, timeout }) {
      let status: number;
      let type: string;
      let text: string;
      try {
        const response = await http(`${node}/_xtdb/${path}`, {
          method: body === undefined ? "get" : "post",
          timeout: Math.max(1, Math.ceil(timeout)),
          ...(search === undefined ? {} : { searchParams: { ...search } }),
          ...(body === undefined
            ? {}
            : {
                body: body.text,
                headers: {
                  "content-type": body.type,
                  ...(wait === undefined ? {} : { prefer: `wait=${wait}` }),
                },
              }),
        });
        status = response.status;
        type = response.headers.get("content-type") ?? "";
        text = await response.text();
      } catch (error) {
        throw failureOf(error, timeout);
      }
      if (status >= 500 && !type.startsWith("application/transit+json")) {
        // A proxy in front of a node that is away answers so.
        throw new RequestFailure(
          `it answers ${status} and nothing that can be read; look at what stands before it`,
          true,
        );
      }
      return { status, body: decode(node, status, type, text) };
    },
  };
}

/** The URL of a node in the form in which it is named. Throws `RangeError` for a text that is none. */
function nodeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new RangeError(
      `the URL of an XTDB node is such as http://127.0.0.1:3000; got ${JSON.stringify(text.slice(0, 200))}`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/u, "").replace(/\/_xtdb$/u, "");
}

function decode(url: string, status: number, type: string, text: string): unknown {
  if (type.startsWith("application/transit+json")) {
    try {
      return readTransit(text);
    } catch (cause) {
      throw new RequestFailure("its answer is cut off or damaged", true, { cause });
    }
  }
  // Refusals of the server itself come without a body.
  if (status === 401 || status === 413 || status === 421) return { error: text.slice(0, 300) };
  throw storeError(
    "STORE_FOREIGN",
    url,
    `what answers there is not XTDB with its HTTP API (status ${status}, ${type === "" ? "no type" : type}); ` +
      "give the URL of an XTDB 1.24 node, such as http://127.0.0.1:3000",
  );
}

/** Codes of a connection that was never made. */
const notConnected: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function failureOf(error: unknown, timeout: number): Error {
  if (error instanceof TimeoutError || (error instanceof Error && error.name === "TimeoutError")) {
    return new RequestFailure(
      `it did not answer within ${Math.ceil(timeout)} ms; it is under load or stuck, which its log says`,
      true,
      { cause: error, kind: "late" },
    );
  }
  const code = codeOf(error);
  return new RequestFailure(
    notConnected.has(code)
      ? `nothing can be reached there (${String(code)}); start it, or correct the URL`
      : `the connection broke off (${String(code ?? error)})`,
    !notConnected.has(code),
    { cause: error, kind: "connection" },
  );
}

/** Node's fetch and ky each put an error around the one that names the reason. */
function codeOf(error: unknown): unknown {
  let inner: unknown = error;
  for (let depth = 0; depth < 5 && typeof inner === "object" && inner !== null; depth += 1) {
    if ("code" in inner && typeof inner.code === "string") return inner.code;
    if (inner instanceof AggregateError && inner.errors.length > 0) inner = inner.errors[0];
    else inner = (inner as { readonly cause?: unknown }).cause;
  }
  return undefined;
}
