import {
  commonLength,
  groupsOf,
  type ListGroups,
  madeOnce,
  sha256,
} from "@self-context-manager/objects";
import { createHash, type Hash } from "node:crypto";
import type { ViewMessage } from "./layout.ts";

const digests = new WeakMap<ViewMessage, string>();

/** Returns SHA-256, in hex, of a message's JSON. It is computed once for each message. */
function messageDigest(message: ViewMessage): string {
  return madeOnce(digests, message, () => sha256(JSON.stringify(message)));
}

/** Bytes of the hash that are kept: 128 bits. */
const hashLength = 16;

/** The last hashed list of each first message. Most lists only grow at their end, so their hash is continued. */
const hashed = new WeakMap<
  ViewMessage,
  { readonly groups: ListGroups<ViewMessage>; readonly count: number; readonly state: Hash }
>();

/**
 * Returns the first 128 bits of SHA-256 over the digests of messages, each on a line, in base64url. Every view has such
 * a hash and no store can compress it, so it is short. Half a hash is enough to detect damage or a different rendering
 * by another program.
 */
export function messagesHash(messages: readonly ViewMessage[]): string {
  const [first] = messages;
  const known = first === undefined ? undefined : hashed.get(first);
  const groups = groupsOf(messages);
  const grows = known !== undefined && commonLength(groups, known.groups) === known.count;
  const state = grows ? known.state : createHash("sha256");
  const start = grows ? known.count : 0;
  const lines = messages.slice(start).map(messageDigest).join("\n");
  state.update(start > 0 && lines !== "" ? `\n${lines}` : lines);
  if (first !== undefined) hashed.set(first, { groups, count: messages.length, state });
  return state.copy().digest().subarray(0, hashLength).toString("base64url");
}
