import { sha256 } from "../objects/hashes.ts";
import type { ViewMessage } from "../layout/layout.ts";

const digests = new WeakMap<ViewMessage, string>();

/** SHA-256, in hex, of a message's JSON as it was handed over; kept with the message. */
function messageDigest(message: ViewMessage): string {
  const known = digests.get(message);
  if (known !== undefined) return known;
  const digest = sha256(JSON.stringify(message));
  digests.set(message, digest);
  return digest;
}

/** SHA-256, in hex, of the digests of messages, each on a line. */
export function messagesHash(messages: readonly ViewMessage[]): string {
  return sha256(messages.map(messageDigest).join("\n"));
}
