import type { ViewMessage } from "../layout/layout.ts";
import { sha256 } from "../objects/hashes.ts";

const digests = new WeakMap<ViewMessage, string>();

/** SHA-256, in hex, of a message's JSON as it was handed over; kept with the message. */
function messageDigest(message: ViewMessage): string {
  const known = digests.get(message);
  if (known !== undefined) return known;
  const digest = sha256(JSON.stringify(message));
  digests.set(message, digest);
  return digest;
}

/** Hexadecimal digits of the hash: 128 bits. */
const hashLength = 32;

/**
 * The first 128 bits of SHA-256 over the digests of messages, each on a line, in base64url. Every view has one, and no
 * store makes it shorter; against what a damage or another program's rendering does, half a hash is enough.
 */
export function messagesHash(messages: readonly ViewMessage[]): string {
  const hex = sha256(messages.map(messageDigest).join("\n")).slice(0, hashLength);
  const bytes = (hex.match(/../gu) ?? []).map((pair) => Number.parseInt(pair, 16));
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
