import { defined } from "@self-context-manager/objects";

import type { Compaction, ReplacingMessage } from "../chat/chat-body.ts";
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

/** The roles of a conversation. Any other role is a kind of the host. */
export const chatRoles: ReadonlySet<string> = new Set(["user", "assistant", "toolResult"]);

/** Returns the identity of a host's message that replaces earlier ones. */
export function replacingIdentity({ message, key }: ReplacingMessage): KnownMessage["identity"] {
  const role = message.role === "opaque" ? message.kind : message.role;
  return messageIdentity(role, message.timestamp ?? null, key);
}

/** Returns the identity of a message in the chat. */
export function messageIdentity(
  role: string,
  timestamp: number | null,
  key: string | undefined,
): KnownMessage["identity"] {
  return { role, ...(timestamp === null ? {} : { timestamp }), ...defined({ key }) };
}

/** Returns the names of the messages that replace earlier ones. */
export function replacingNames({ messages }: Compaction): readonly string[] {
  return messages.map((one) => keyName(replacingIdentity(one)));
}

/** Returns the key of a message beside known ones: its name, with an ordinal if that is taken. */
export function uniqueKey(known: Pick<ReadonlySet<string>, "has">, name: string): string {
  if (!known.has(name)) return name;
  let ordinal = 1;
  while (known.has(`${name} #${ordinal}`)) ordinal += 1;
  return `${name} #${ordinal}`;
}
