import { defined } from "@self-context-manager/objects";
import ky, { type KyInstance, TimeoutError } from "ky";

import { isToken } from "../node/token.ts";
import { readTransit } from "./transit.ts";
import { type Answer, RequestFailure, storeError } from "./xtdb-errors.ts";

/** One HTTP request to a node. */
export interface NodeRequest {
  readonly path: string;
  /** Whether only the local node has the route. */
  readonly isOwn?: boolean;
  readonly search?: Readonly<Record<string, string | number>>;
  /** The body of a POST and its media type; undefined makes the request a GET. */
  readonly body?: { readonly type: string; readonly text: string };
  /** Seconds that the node may wait for the outcome. A node that does not support this answers at once. */
  readonly wait?: number;
  /** The name of the store whose documents a transaction may evict. */
  readonly evicts?: string;
  /** Milliseconds after which the request is aborted. */
  readonly timeout: number;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
}

/** Sends requests to a node and reads its answers. Rejects with `RequestFailure` if there is no usable answer. */
export interface Requests {
  /** The node's URL, without `/_xtdb`. */
  readonly url: string;
  /** Sends all later requests to another URL, with another token. */
  moveTo(place: NodePlace): void;
  send(request: NodeRequest): Promise<Answer>;
}

/** The URL of a node, and the bearer token if it requires one. */
export interface NodePlace {
  readonly url: string;
  readonly token?: string;
}

/**
 * Returns a sender for one node. Node's fetch keeps connections open between requests. The local node says with each answer
 * when the document with the id `watch` changed last.
 */
export function requests(place: NodePlace, watch?: string): Requests {
  let node = nodeUrl(place.url);
  let authorization = authorizationOf(place);
  const http: KyInstance = ky.create({
    headers: { accept: "application/transit+json" },
    // The node client repeats requests itself: a submit must not be sent again before its outcome was checked.
    retry: 0,
    throwHttpErrors: false,
  });

  return {
    get url() {
      return node;
    },
    moveTo(other) {
      node = nodeUrl(other.url);
      authorization = authorizationOf(other);
    },
    async send({ path, isOwn = false, search, body, wait, evicts, timeout, signal }) {
      let status: number;
      let type: string;
      let text: string;
      let watched: string | null;
      try {
        const response = await http(`${node}/${isOwn ? "_scm" : "_xtdb"}/${path}`, {
          method: body === undefined ? "get" : "post",
          timeout: Math.max(1, Math.ceil(timeout)),
          ...defined({ signal }),
          ...(search === undefined ? {} : { searchParams: { ...search } }),
          ...(body === undefined ? {} : { body: body.text }),
          headers: {
            ...authorization,
            ...(body === undefined ? {} : { "content-type": body.type }),
            ...(wait === undefined ? {} : { prefer: `wait=${wait}` }),
            ...(watch === undefined ? {} : { "scm-watch": watch }),
            ...(evicts === undefined ? {} : { "scm-evict": evicts }),
          },
        });
        status = response.status;
        type = response.headers.get("content-type") ?? "";
        watched = response.headers.get("scm-watched");
        text = await response.text();
      } catch (error) {
        throw failureOf(error, timeout);
      }
      if (status >= 500 && !type.startsWith("application/transit+json")) {
        // A proxy answers in this way if it does not reach the node.
        throw new RequestFailure(
          `it answers with status ${status} and a body that cannot be read; check the proxy in front of it`,
          true,
        );
      }
      const answer = { status, body: decode(node, status, type, text) };
      return watched === null ? answer : { ...answer, watched: Number(watched) };
    },
  };
}

/** Returns the URL of a node in its short form. Throws `RangeError` for a text that is not a URL with http or https. */
function nodeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new RangeError(
      `the URL of the XTDB node is ${JSON.stringify(text.slice(0, 200))}; give one such as http://127.0.0.1:3000`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/u, "").replace(/\/_xtdb$/u, "");
}

/** Returns the header with the token. The error does not contain the token. */
function authorizationOf({ url, token }: NodePlace): Readonly<Record<string, string>> {
  if (token === undefined) return {};
  if (isToken(token)) return { authorization: `Bearer ${token}` };
  throw storeError(
    "STORE_UNREADABLE",
    url,
    "the token for it is empty or has other characters than letters, digits and - . _ ~ + /; correct SCM_XTDB_TOKEN or the option token",
  );
}

function decode(url: string, status: number, type: string, text: string): unknown {
  if (type.startsWith("application/transit+json")) {
    try {
      return readTransit(text);
    } catch (cause) {
      throw new RequestFailure("its answer is cut off or damaged", true, { cause });
    }
  }
  // The server's own refusals have no transit body.
  if (status === 401 || status === 413 || status === 421) return { error: text.slice(0, 300) };
  throw storeError(
    "STORE_FOREIGN",
    url,
    `the server there is not XTDB with its HTTP API (status ${status}, ${type === "" ? "no content type" : type}); ` +
      "give the URL of an XTDB 1.24 node, such as http://127.0.0.1:3000",
  );
}

/** Codes of errors before a connection existed. */
const notConnected: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function failureOf(error: unknown, timeout: number): Error {
  // The request has the token in its headers, and a program that prints the error would print it.
  if (error instanceof Error) Reflect.deleteProperty(error, "request");
  if (error instanceof TimeoutError || (error instanceof Error && error.name === "TimeoutError")) {
    return new RequestFailure(
      `it did not answer within ${Math.ceil(timeout)} ms; it is under load or stuck, and its log shows which`,
      true,
      { cause: error, kind: "late" },
    );
  }
  const code = codeOf(error);
  return new RequestFailure(
    notConnected.has(code)
      ? `no server can be reached there (${String(code)}); start it, or correct the URL`
      : `the connection was interrupted (${String(code ?? error)})`,
    !notConnected.has(code),
    { cause: error, kind: "connection" },
  );
}

/** Returns the code of the inner error: Node's fetch and ky each wrap the error that has it. */
function codeOf(error: unknown): unknown {
  let inner: unknown = error;
  for (let depth = 0; depth < 5 && typeof inner === "object" && inner !== null; depth += 1) {
    if ("code" in inner && typeof inner.code === "string") return inner.code;
    if (inner instanceof AggregateError && inner.errors.length > 0) inner = inner.errors[0];
    else inner = (inner as { readonly cause?: unknown }).cause;
  }
  return undefined;
}
