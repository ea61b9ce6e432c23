import { once } from "node:events";
import { type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { Agent, request as requestHttps } from "node:https";

import { pairsOf, type RawHeaders } from "./credentials.ts";

/** A request to a provider. */
export interface UpstreamRequest {
  readonly url: string;
  readonly method: string;
  /** The client's headers. Those that concern only its connection to the meter are left out. */
  readonly headers: RawHeaders;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

/** Headers of one connection, which are not passed on. */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers that the meter sets itself. */
const ofMeter: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "accept-encoding",
  "expect",
]);

/**
 * Sends a request to a provider and resolves with its answer, whose body is still to be read. Each request has its own
 * connection: a kept one that the provider has closed would look like a failure of the provider.
 */
export async function sendUpstream(sent: UpstreamRequest): Promise<IncomingMessage> {
  const url = new URL(sent.url);
  const hasBody = sent.body.length > 0 || sent.method === "POST";
  const options: RequestOptions = {
    method: sent.method,
    // Local servers are reached without a proxy, whatever the environment says.
    agent: url.protocol === "https:" ? new Agent({ proxyEnv: process.env }) : false,
    signal: sent.signal,
    headers: [
      "host",
      url.host,
      ...passedOn(sent.headers, ofMeter),
      "accept-encoding",
      "identity",
      ...(hasBody ? ["content-length", String(sent.body.length)] : []),
    ],
  };
  const request =
    url.protocol === "https:" ? requestHttps(url, options) : requestHttp(url, options);
  // An error after the beginning of the answer reaches the reader of the answer.
  request.on("error", () => undefined);
  const answered = once(request, "response");
  request.end(sent.body);
  const [response]: IncomingMessage[] = await answered;
  if (response === undefined) throw new TypeError("a response event has a response");
  return response;
}

/** Returns the headers without those of one connection and without those of a set, whose names are in lower case. */
export function passedOn(headers: RawHeaders, without?: ReadonlySet<string>): RawHeaders {
  return pairsOf(headers)
    .filter(([name]) => {
      const lower = name.toLowerCase();
      return !ofConnection.has(lower) && without?.has(lower) !== true;
    })
    .flat();
}
