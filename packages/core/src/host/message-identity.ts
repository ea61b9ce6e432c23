import type { Compaction } from "../chat/chat-document.ts";
import { isContentKey } from "../chat/content-key.ts";
import type { TurnPosition } from "../chat/turn.ts";
import type { MessageIdentity } from "./message-codec.ts";

/** A host message that is already in the chat, with its place there. */
export interface KnownMessage {
  readonly identity: MessageIdentity;
  readonly key: string;
  /** Undefined for a message that the host made to replace others and that the chat does not hold. */
  readonly position: TurnPosition | undefined;
  /** For a summary in the chat: the end of the part that it replaces. */
  readonly summaryEnd?: TurnPosition;
}

/**
 * Returns the message keys of a host's messages from an index on. A key is the host's own key, or else it is built from
 * role, tool call id, time and ordinal.
 */
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

/**
 * Number of new messages up to which earlier messages are compared with them instead of being named. That is faster.
 */
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

/**
 * Returns the name of a message, built from its identity. Messages of the same name are distinguished by an ordinal.
 */
export function keyName(identity: MessageIdentity): string {
  if (identity.key !== undefined) return identity.key;
  const call = identity.callId === undefined ? "" : ` ${identity.callId}`;
  return `${identity.role}${call} @${identity.timestamp ?? ""}`;
}

/** Whether a key belongs to one message only. */
export function namesOneMessage(key: string): boolean {
  return !isContentKey(key);
}

/** Whether two identities are of the same message. Times are compared only if there are no keys. */
export function isSame(left: MessageIdentity, right: MessageIdentity): boolean {
  if (left.role !== right.role || left.callId !== right.callId || left.key !== right.key)
    return false;
  return left.key !== undefined || left.timestamp === right.timestamp;
}

/** The roles of a conversation. Any other role is a kind of the host. */
export const chatRoles: ReadonlySet<string> = new Set(["user", "assistant", "toolResult"]);

/** Returns the identity of the host's summary message that a compaction came from. */
export function compactionIdentity({ kind, timestamp, key }: Compaction): KnownMessage["identity"] {
  return messageIdentity(kind, timestamp, key);
}

/** Returns the identity of a message in the chat. */
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
