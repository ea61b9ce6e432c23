import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Why a request is refused. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** The header that has the token of the URL. A page of another origin cannot send it without this server's consent. */
const tokenHeader = "x-scm-token";

/** The longest path with its question. */
const longestUrl = 4_096;

/**
 * Returns why a request must not be answered at all; undefined for one of the page itself. A page of another origin is
 * found by its `Origin` and `Sec-Fetch-Site`, and one whose name was bound to this address by its `Host`.
 */
export function refusalOf(
  { method, url = "", headers }: IncomingMessage,
  port: number,
): Refusal | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (headers.host === undefined || !hosts.includes(headers.host))
    return refused(421, "WRONG_HOST", `This server answers only for ${hosts[0]}.`);
  const origin = headers.origin;
  if (origin !== undefined && origin !== `http://${headers.host}`)
    return refused(403, "OTHER_ORIGIN", "Pages of other origins get no answer.");
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none")
    return refused(403, "OTHER_ORIGIN", "Pages of other origins get no answer.");
  if (method !== "GET" && method !== "HEAD")
    return refused(405, "READS_ONLY", "This server only reads: use GET.");
  if (url.length > longestUrl) return refused(414, "TOO_LONG", "The address is too long.");
  return undefined;
}

/** Returns why a question is refused: its header must have the token. The comparison takes the same time for every token. */
export function tokenRefusal({ headers }: IncomingMessage, token: string): Refusal | undefined {
  const given = headers[tokenHeader];
  const one = Buffer.from(typeof given === "string" ? given : "");
  const other = Buffer.from(token);
  if (one.length === other.length && timingSafeEqual(one, other)) return undefined;
  return refused(
    401,
    "WRONG_TOKEN",
    "The token is missing or wrong. Open the whole address that the command printed, with all after the #.",
  );
}

/**
 * Returns the parts of a path, decoded one by one, and the question's parameters; undefined for a path that no page asks
 * for. The parts never name files, so a slash or dots within one are only characters of an id.
 */
export function readUrl(
  url: string,
): { readonly path: readonly string[]; readonly parameters: URLSearchParams } | undefined {
  const [path = "", ...rest] = url.split("?");
  if (!path.startsWith("/") || path.includes("\\") || path.includes("#")) return undefined;
  const parts: string[] = [];
  for (const part of path.slice(1).split("/")) {
    const decoded = decodedPart(part);
    if (decoded === undefined) return undefined;
    parts.push(decoded);
  }
  return { path: parts, parameters: new URLSearchParams(rest.join("?")) };
}

function decodedPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    // A broken escape is in no address of the page.
    return undefined;
  }
}

function refused(status: number, code: string, message: string): Refusal {
  return { status, code, message };
}
