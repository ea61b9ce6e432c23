import { sha256 } from "@self-context-manager/objects";
import { createHash, type Hash } from "node:crypto";
import type { ViewMessage } from "./layout.ts";

const digests = new WeakMap<ViewMessage, string>();

/** SHA-256, in hex, of a message's JSON as it was handed over; kept with the message. */
function messageDigest(message: ViewMessage): string {
  const known = digests.get(message);
  if (known !== undefined) return known;
  const digest = sha256(JSON.stringify(message));
  digests.set(message, digest);
  return digest;
}

/** How many bytes of the hash are kept: 128 bits. */
const hashLength = 16;

/** What was hashed last of the lists that begin with a message: most grow at their end. */
const hashed = new WeakMap<
  ViewMessage,
  { readonly messages: readonly ViewMessage[]; readonly state: Hash }
>();

/**
 * The first 128 bits of SHA-256 over the digests of messages, each on a line, in base64url. Every view has one, and no
 * store makes it shorter; against what a damage or another program's rendering does, half a hash is enough.
 */
export function messagesHash(messages: readonly ViewMessage[]): string {
  const [first] = messages;
  const known = first === undefined ? undefined : hashed.get(first);
  const grows = known?.messages.every((message, index) => message === messages[index]) === true;
  const state = grows ? known.state : createHash("sha256");
  const start = grows ? known.messages.length : 0;
  const lines = messages.slice(start).map(messageDigest).join("\n");
  state.update(start > 0 && lines !== "" ? `\n${lines}` : lines);
  if (first !== undefined) hashed.set(first, { messages: [...messages], state });
  return state.copy().digest().subarray(0, hashLength).toString("base64url");
}
