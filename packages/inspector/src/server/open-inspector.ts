import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

import type { InspectedStore } from "../inspected-store.ts";
import { type PageFiles, pageFiles, pageHtml } from "../page-files.ts";
import { failedQuestion, QuestionError } from "../questions/question-error.ts";
import { openQuestions, type Questions } from "../questions/questions.ts";
import { within } from "../questions/reading.ts";
import { streamChanges } from "./change-stream.ts";
import { commonHeaders } from "./headers.ts";
import { readUrl, type Refusal, refusalOf, tokenRefusal } from "./request-check.ts";

export interface InspectorOptions extends InspectedStore {
  /** The place at which the page opens, as in its own addresses: `sessions/ID`. Default: the list of sessions. */
  readonly at?: string;
  /** The script and the style sheet of the page. Default: the built ones of this package. */
  readonly files?: PageFiles;
  /** Whether the server keeps its process running. Default: true. */
  readonly keepsRunning?: boolean;
}

/** A running inspector. */
export interface Inspector extends AsyncDisposable {
  /** The address for the user's browser. What follows the `#` is a secret and is never sent in an address. */
  readonly url: string;
  /** The same address at another place of the page. */
  urlAt(place: string): string;
}

/**
 * The number of pages that can listen for changes at once. A browser opens six connections to a server for all its tabs, so
 * some of them must be left for questions.
 */
const mostListeners = 4;

/** Milliseconds that the end waits for answers. A host that ends cannot wait for a store that does not answer. */
const endTime = 1_000;

/** Starts a local server for the page. It answers only this machine, only with the token of its URL, and only reads. */
export async function openInspector(options: InspectorOptions): Promise<Inspector> {
  const files = options.files ?? (await pageFiles());
  // 192 bits, so that nobody can guess it.
  const token = randomBytes(24).toString("base64url");
  const questions = openQuestions(options);
  const closing = new AbortController();
  const answering = new Set<Promise<void>>();
  let listeners = 0;
  let port = 0;

  // A request without `Host` is refused here, with all headers, and not by Node.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    const answer = respond(request, response).finally(() => answering.delete(answer));
    answering.add(answer);
  });
  server.on("clientError", (_error, socket) => refuseBytes(socket));
  // A connection that the system refuses, such as one without a free handle, must not end the host. Its page asks again.
  server.on("error", () => undefined);

  if (options.keepsRunning === false) {
    server.unref();
    // A page that follows the store holds its connection open.
    server.on("connection", (socket) => socket.unref());
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value);
    // A client that goes away in the middle is no fault of the server.
    response.on("error", () => undefined);
    const refusal = refusalOf(request, port);
    if (refusal !== undefined) return refuse(response, refusal);
    const asked = readUrl(request.url ?? "");
    if (asked === undefined) return refuse(response, nothingThere);
    const [first = "", ...path] = asked.path;
    if (first !== "api") return page(request, response, asked.path);
    const withoutToken = tokenRefusal(request, token);
    if (withoutToken !== undefined) return refuse(response, withoutToken);
    try {
      if (path.length === 1 && path[0] === "changes")
        await changes(request, response, asked.parameters);
      else {
        const signal = AbortSignal.any([goneOf(response), closing.signal]);
        const answer = await questions.ask(path, asked.parameters, signal);
        send(request, response, 200, json, JSON.stringify(answer));
      }
    } catch (error) {
      const { status, answer } = failedQuestion(error);
      if (!response.headersSent) send(request, response, status, json, JSON.stringify(answer));
      else response.destroy();
    }
  }

  function page(request: IncomingMessage, response: ServerResponse, path: readonly string[]): void {
    const name = path.length === 1 ? path[0] : undefined;
    if (name === "") send(request, response, 200, "text/html; charset=utf-8", pageHtml);
    else if (name === "page.js")
      send(request, response, 200, "text/javascript; charset=utf-8", files.script);
    else if (name === "page.css")
      send(request, response, 200, "text/css; charset=utf-8", files.style);
    else refuse(response, nothingThere);
  }

  async function changes(
    request: IncomingMessage,
    response: ServerResponse,
    parameters: URLSearchParams,
  ): Promise<void> {
    const after = parameters.get("after") ?? (await questions.position());
    await checkPosition(questions, after);
    if (listeners >= mostListeners)
      return refuse(response, {
        status: 503,
        code: "TOO_MANY_PAGES",
        message: `Only ${mostListeners} pages can follow the store at once. Close some of them.`,
      });
    response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8" });
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    const gone = goneOf(response);
    listeners += 1;
    try {
      await streamChanges(response, options.store, after, AbortSignal.any([gone, closing.signal]));
    } finally {
      listeners -= 1;
    }
  }

  /** Reads the session at which the page opens, because a long one takes a while. The page asks for it next. */
  function prepare(): void {
    const [kind, session, ...more] = (options.at ?? "").split("/");
    if (kind !== "sessions" || session === undefined || more.length > 0) return;
    const read = questions.ask(["sessions", decodeURIComponent(session)]).then(
      () => undefined,
      // The page gets the error with its own question.
      () => undefined,
    );
    const prepared = read.finally(() => answering.delete(prepared));
    answering.add(prepared);
  }

  port = await listening(server);
  prepare();
  const urlAt = (place: string): string =>
    `http://127.0.0.1:${port}/#token=${token}${place === "" ? "" : `&at=${place}`}`;
  let closed: Promise<void> | undefined;
  return {
    url: urlAt(options.at ?? ""),
    urlAt,
    async [Symbol.asyncDispose]() {
      closed ??= (async () => {
        closing.abort();
        const ended = new Promise<void>((done) => server.close(() => done()));
        // An answer that is being made soon ends by itself; connections that wait for a further question do not.
        await within(Promise.all(answering), endTime);
        server.closeAllConnections();
        await ended;
      })();
      await closed;
    },
  };
}

const json = "application/json; charset=utf-8";

const nothingThere: Refusal = {
  status: 404,
  code: "NOT_FOUND",
  message: "There is nothing at this address.",
};

/** A signal that the client has gone. */
function goneOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  return gone.signal;
}

/** Rejects with `BAD_QUESTION` for a position that the store does not understand. */
async function checkPosition({ reading }: Questions, position: string): Promise<void> {
  try {
    await reading.store.changesSince(position, { limit: 1 });
  } catch (cause) {
    if (cause instanceof TypeError || cause instanceof RangeError)
      throw new QuestionError("BAD_QUESTION", "The position is not one of this store.", { cause });
    throw cause;
  }
}

function refuse(response: ServerResponse, { status, code, message }: Refusal): void {
  // What the client still sends is not read.
  response.setHeader("connection", "close");
  response.writeHead(status, { "content-type": json });
  response.end(JSON.stringify({ error: { code, message } }));
}

/** Answers bytes that are no request. */
function refuseBytes(socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const text = JSON.stringify({
    error: { code: "NO_REQUEST", message: "This is no request that the server understands." },
  });
  const headers = {
    ...commonHeaders,
    "content-type": json,
    "content-length": String(Buffer.byteLength(text)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join("\r\n")}\r\n\r\n${text}`);
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
): void {
  const bytes = Buffer.from(text);
  response.writeHead(status, { "content-type": type, "content-length": bytes.length });
  response.end(method === "HEAD" ? undefined : bytes);
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen({ host: "127.0.0.1", port: 0 }, done);
  });
  const { port } = server.address() as AddressInfo;
  return port;
}
