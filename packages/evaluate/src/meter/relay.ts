import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

import { messageOf } from "@self-context-manager/objects";

import { passedOn } from "./upstream.ts";

/** The body of an answer, up to its end or to where it broke off. */
export interface RelayedBody {
  readonly body: Buffer;
  /** Why the answer broke off. */
  readonly broken?: string;
}

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/** Sends the head of a provider's answer to the client. */
export function sendHead(response: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.sendDate = false;
  const headers = [...passedOn(response.rawHeaders)];
  outgoing.writeHead(response.statusCode ?? 502, response.statusMessage ?? "", headers);
  outgoing.flushHeaders();
}

/**
 * Passes the body of an answer to the client, each piece as it arrives, without an end. Returns the body; it never
 * rejects.
 */
export async function relayBody(
  response: IncomingMessage,
  outgoing: ServerResponse | undefined,
  signal: AbortSignal,
): Promise<RelayedBody> {
  const chunks: Buffer[] = [];
  try {
    for await (const piece of response) {
      const chunk = Buffer.from(piece);
      chunks.push(chunk);
      if (outgoing?.write(chunk) === false) await once(outgoing, "drain", { signal });
    }
    return { body: Buffer.concat(chunks) };
  } catch (error) {
    // The caller records the failure, and breaks off its own answer.
    return { body: Buffer.concat(chunks), broken: messageOf(error) };
  }
}

/** Returns the text of a body. Some providers compress it although the request asks them not to. */
export function bodyText(body: Buffer, encoding: string | undefined): string {
  const decode = encoding === undefined ? undefined : decoders[encoding.trim().toLowerCase()];
  if (decode === undefined) return body.toString();
  try {
    return decode(body).toString();
  } catch {
    // A body that broke off cannot be decoded; its usage is then unknown.
    return "";
  }
}
