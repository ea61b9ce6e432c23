import { canonicalJson, sha256, toJson } from "@self-context-manager/objects";
import type { Compaction } from "../chat/chat-document.ts";
import type { TurnPosition } from "../chat/turn.ts";
import type { MessageCodec, MessageIdentity } from "./message-codec.ts";

/** A message of the host that is in the chat already, with its place there. */
export interface KnownMessage {
  readonly identity: MessageIdentity;
  readonly key: string;
  /** Undefined for what the host put in the place of messages and the chat does not hold. */
  readonly position: TurnPosition | undefined;
  /** Of a summary that the chat holds: the end of the part that it replaces. */
  readonly summaryEnd?: TurnPosition;
}

/** The stable keys of a host's messages from an index on: its own, else role, call id, time and ordinal (design §6.1). */
export function messageKeys(identities: readonly MessageIdentity[], from = 0): readonly string[] {
  const counts = new Map<string, number>();
  const few = identities.length - from <= fewMessages;
  const keys: string[] = [];
  for (let index = few ? from : 0; index < identities.length; index += 1) {
    const identity = identities[index];
    if (identity === undefined) continue;
    const name = keyName(identity);
    const ordinal = counts.get(name) ?? (few ? countSame(identities, identity, from) : 0);
    counts.set(name, ordinal + 1);
    if (index >= from) keys.push(ordinal === 0 ? name : `${name} #${ordinal}`);
  }
  return keys;
}

/** Up to this many new messages are counted against the earlier ones by comparing, without naming those. */
const fewMessages = 32;

function countSame(
  identities: readonly MessageIdentity[],
  wanted: MessageIdentity,
  before: number,
): number {
  let count = 0;
  for (let index = 0; index < before; index += 1) {
    const identity = identities[index];
    if (identity !== undefined && isSame(identity, wanted)) count += 1;
  }
  return count;
}

/** The name of a message by what identifies it, before an ordinal tells it from others of that name. */
export function keyName(identity: MessageIdentity): string {
  if (identity.key !== undefined) return identity.key;
  const call = identity.callId === undefined ? "" : ` ${identity.callId}`;
  return `${identity.role}${call} @${identity.timestamp ?? ""}`;
}

/** The identity of a message, with a key made from its content where the host gives nothing to tell it by. */
export function identify<Raw>(raw: Raw, codec: MessageCodec<Raw>): MessageIdentity {
  const identity = codec.identify(raw);
  if (
    identity.key !== undefined ||
    identity.timestamp !== undefined ||
    identity.callId !== undefined
  ) {
    return identity;
  }
  return { ...identity, key: `${ofContent}${sha256(canonicalJson(toJson(codec.decode(raw))))}` };
}

/** Begins the keys that are made from content. */
const ofContent = "~";

/** Whether a key names one message alone: one made from its content is that of any that says the same. */
export function namesOneMessage(key: string): boolean {
  return !key.startsWith(ofContent);
}

/** A key says it all; times are compared where there is none. */
export function isSame(left: MessageIdentity, right: MessageIdentity): boolean {
  if (left.role !== right.role || left.callId !== right.callId || left.key !== right.key)
    return false;
  return left.key !== undefined || left.timestamp === right.timestamp;
}

/** The roles of what is said; any other is of the host's own kind. */
export const chatRoles: ReadonlySet<string> = new Set(["user", "assistant", "toolResult"]);

/** What the host calls the summary that a compaction came from. */
export function compactionIdentity({ kind, timestamp, key }: Compaction): KnownMessage["identity"] {
  return messageIdentity(kind, timestamp, key);
}

/** What a message of the chat is known by. */
export function messageIdentity(
  role: string,
  timestamp: number | null,
  key: string | undefined,
): KnownMessage["identity"] {
  return {
    role,
    ...(timestamp === null ? {} : { timestamp }),
    ...(key === undefined ? {} : { key }),
  };
}

export function uniqueKey(
  known: ReadonlyMap<string, KnownMessage>,
  message: Omit<KnownMessage, "key">,
): string {
  const name = keyName(message.identity);
  if (!known.has(name)) return name;
  let ordinal = 1;
  while (known.has(`${name} #${ordinal}`)) ordinal += 1;
  return `${name} #${ordinal}`;
}
